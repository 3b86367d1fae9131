"""Measurements of the bridge beside the sinks that it competes with."""
