"""A year of flights through the bridge, on a real Flink cluster and a real S3 server."""
