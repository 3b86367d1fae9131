"""Object stores behind one interface (``protocol``): S3, memory for tests, and faults around either."""
