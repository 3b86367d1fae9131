"""CPU seconds of this process and all that it has started: what a table costs, whoever else is on the machine."""

from contextlib import suppress

import psutil


def cpu_seconds() -> float:
    """Children that have ended count for their parent, which has waited for them."""
    spent = 0.0
    this = psutil.Process()
    for each in (this, *this.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            times = each.cpu_times()
            spent += times.user + times.system + times.children_user + times.children_system
    return spent
