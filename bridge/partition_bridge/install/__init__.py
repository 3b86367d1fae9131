"""Putting the shim's jar into a Flink, and telling what is where."""
