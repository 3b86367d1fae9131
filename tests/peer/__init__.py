"""Flink's own suites of the filesystem connector, on Flink's connector, on the takeover, and on S3 through the bridge."""
