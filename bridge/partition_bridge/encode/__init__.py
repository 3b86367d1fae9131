"""Rows come in as Arrow batches, the bytes of one Parquet file go out; nothing here knows of parts or of a store."""
