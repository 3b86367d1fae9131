"""Everything a user has in production as the real thing, in containers: two TaskManagers, a SQL gateway, S3, Hive Metastore.

testcontainers reads its settings when it's imported: they stand here, before any of it.
"""

import os

# Its reaper would be pulled; what a run leaves that died, the next one removes (tests/containers/engine.py).
os.environ.setdefault("TESTCONTAINERS_RYUK_DISABLED", "true")
# Ports are published on loopback alone, also where the tests run in a container themselves.
os.environ.setdefault("TESTCONTAINERS_CONNECTION_MODE", "docker_host")
os.environ.setdefault("TESTCONTAINERS_HOST_OVERRIDE", "127.0.0.1")
