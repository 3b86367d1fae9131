"""Tell somebody by HTTP of each partition that is complete: an Airflow dataset event, a webhook, a queue's REST door.

'sink.partition-commit.policy.kind' = 'success-file,custom',
'sink.partition-commit.policy.class' = 'io.partitionbridge.policy.PythonCommitPolicy',
'sink.partition-commit.policy.class.parameters' = 'notify:by_http;https://hooks.example/partitions'
"""

import json
import urllib.request

from partition_bridge.policy import CommittedPartition

SECONDS = 30


def by_http(partition: CommittedPartition, url: str) -> None:
    """POST the partition as JSON. An answer that is an error fails the task, and it's sent again after the restart."""
    body = json.dumps({"table": partition.table, "values": dict(partition.values), "path": partition.path}).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    # No checkpoint completes while this waits, so it doesn't wait for ever.
    with urllib.request.urlopen(request, timeout=SECONDS):
        pass
