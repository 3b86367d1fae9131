"""A scripted HTTP proxy in front of a real S3 server: it answers wrongly, late or not at all, as a table of rules says.

It runs as `mitmdump` in an environment of its own (build/mitmproxy), since its pins fit nobody else's. One script is in force at a time;
each rule that strikes is logged with the ids of its request: a fault that never struck proves nothing.
"""

from tests.support.faultproxy.script import FOR_EVER, Rule, Script

__all__ = ["FOR_EVER", "Rule", "Script"]
