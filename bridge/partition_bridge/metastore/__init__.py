"""Registers partitions in a metastore: Hive's, AWS Glue, or one of the user's own (docs/metastores.md).

the committer's requests ─► serve ─► retry ─► Metastore (hive · glue · an entry point)
"""
