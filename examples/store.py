"""A store to try things on: SeaweedFS on loopback with the bucket `lake`, until it's interrupted. `make store` runs it.

Data and keys are gone when it ends.
"""

import signal
import sys
import tempfile
import threading
from pathlib import Path

from tests.support.servers import SeaweedFS

BUCKET = "lake"


def main() -> int:
    """Start it, print the lines for Flink's conf/config.yaml and for a shell, and wait."""
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    with tempfile.TemporaryDirectory(prefix="store-") as folder, SeaweedFS(Path(folder)) as server:
        server.create_bucket(BUCKET)
        print(
            f"bucket s3://{BUCKET}. For conf/config.yaml of Flink:\n\n"
            f"s3:\n  endpoint: {server.endpoint}\n  region: {server.region}\n  path-style-access: true\n"
            f"  access-key: {server.access_key}\n  secret-key: {server.secret_key}\n\n"
            "For partition-bridge orphans, and for other programs of this machine:\n\n"
            f"export AWS_ENDPOINT_URL={server.endpoint} AWS_REGION={server.region} "
            f"AWS_ACCESS_KEY_ID={server.access_key} AWS_SECRET_ACCESS_KEY={server.secret_key}\n\n"
            "Ctrl-C ends it, and its data.",
            flush=True,
        )
        ended.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
