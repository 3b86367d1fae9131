"""The job tier: the faults of the matrix, done to a running Flink job."""
