"""What a container holds that somebody else could find: files with a text in them, and command lines and environments of its processes."""

from collections.abc import Sequence

from tests.containers.service import Service

SEARCH = """
find / \\( -path /proc -o -path /sys \\) -prune -o -type f -newermt "@$1" -print0 2>/dev/null | xargs -0 -r grep -laF -- "$2" 2>/dev/null
find /proc/[0-9]*/fd -type l -lname '* (deleted)' -print0 2>/dev/null | xargs -0 -r grep -laF -- "$2" 2>/dev/null
true
"""
PROCESSES = "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'"


def files_with(texts: Sequence[str], containers: Sequence[Service], since: float) -> list[str]:
    """Files that hold any of the texts and were written after `since` (epoch seconds), deleted ones that are still open included."""
    found = []
    for each in containers:
        lines = each.run("sh", "-c", SEARCH, "search", f"{since:.0f}", "\n".join(texts)).splitlines()
        found += [f"{each.name}:{line}" for line in lines]
    return found


def processes(container: Service) -> str:
    """Arguments and environment of each process in it, as Flink's own user sees them."""
    return container.run("sh", "-c", PROCESSES)
