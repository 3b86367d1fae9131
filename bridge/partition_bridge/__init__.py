"""The Python side of the bridge: encodes rows and brings them to object storage, visible exactly once."""
