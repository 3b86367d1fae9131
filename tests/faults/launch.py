"""Starts the writer as the shim does, but impatient, and with a named mutant in it where one is asked for.

`python -m tests.faults.launch [--patient] [MUTANT]`: the product's own `partition_bridge.writer`, whose waits are cut short so that a case takes
seconds. What is waited for, how often and what follows stay as they are.
"""

import runpy
import sys
import time

READ_SECONDS = 3
HASTE = 0.04
"""Back-offs of about 15 s in all become about 0.6 s."""


PATIENCE = 0.25
"""About 4 s, for faults that somebody else has to end meanwhile."""


def impatient(haste: float) -> None:
    """Shorten back-offs and the read timeout; the proxy stalls longer than that."""
    sleep = time.sleep
    time.sleep = lambda seconds: sleep(float(seconds) * haste)
    # Only now: what is imported keeps the sleep that it finds.
    from partition_bridge.store import s3_client

    s3_client._READ_SECONDS = READ_SECONDS


if __name__ == "__main__":
    given = sys.argv[1:]
    impatient(PATIENCE if "--patient" in given else HASTE)
    for name in (each for each in given if each != "--patient"):
        from tests.faults.mutants import MUTANTS

        MUTANTS[name].apply()
    runpy.run_module("partition_bridge.writer", run_name="__main__")
