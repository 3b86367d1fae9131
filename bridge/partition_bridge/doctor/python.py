"""The Python of the writers: whether the shim can start it, and whether it has what a writer imports."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata

from partition_bridge.doctor.finding import Finding, fail, ok, skip
from partition_bridge.install.shim import DISTRIBUTION
from partition_bridge.start_line import PROTOCOL

_OLDEST = (3, 10)
#: What only the command line needs.
_NOT_FOR_WRITERS = ("rich", "typer")
_START_SECONDS = 60.0

# Runs in an interpreter that may have nothing of ours, of any age.
_PROBE = """
import json, platform, sys
found = {"version": platform.python_version(), "program": sys.executable, "packages": {}, "protocol": None, "error": None}
try:
    from importlib import metadata
    for name in sys.argv[1:]:
        try:
            found["packages"][name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            pass
    import partition_bridge.start_line
    found["protocol"] = partition_bridge.start_line.PROTOCOL
    import pyarrow.parquet
except Exception as error:
    found["error"] = "%s: %s" % (type(error).__name__, error)
print(json.dumps(found))
"""


@dataclass(frozen=True)
class Interpreter:
    """``packages``: versions by distribution. ``error``: what kept a writer's imports from working. ``start_error``: it didn't even run."""

    name: str
    version: str = ""
    program: str = ""
    packages: Mapping[str, str] | None = None
    protocol: int | None = None
    error: str | None = None
    start_error: str | None = None


def look_at(name: str, environment: Mapping[str, str]) -> Interpreter:
    """Start the interpreter as the shim does: by this name, with this environment."""
    try:
        done = subprocess.run(  # noqa: S603  # what Flink's configuration names
            [name, "-c", _PROBE, DISTRIBUTION, "awscrt", *minima()],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=_START_SECONDS,
        )
        told = json.loads(done.stdout.splitlines()[-1]) if done.stdout else None
    except (OSError, ValueError, subprocess.TimeoutExpired) as refused:
        return Interpreter(name, start_error=str(refused))
    if told is None:
        words = done.stderr.strip().splitlines()
        return Interpreter(name, start_error=words[-1] if words else f"exit code {done.returncode}")
    return Interpreter(name, **told)


def judge_interpreter(found: Interpreter, ours: str) -> Finding:
    """It runs, is new enough, and has this very package. ``ours``: the version of the package here."""
    check = "writers' Python"
    another = (
        "set 'python.executable' in Flink's configuration to an interpreter that has flink-partition-bridge, on every TaskManager"
    )
    if found.start_error is not None:
        return fail(check, f"'{found.name}' can't be started: {found.start_error}", another)
    told = f"{found.version}, {found.program}"
    if tuple(map(int, re.findall(r"\d+", found.version)[:2])) < _OLDEST:
        return fail(check, f"{told} is too old", f"{another}; 3.10 or newer")
    there = (found.packages or {}).get(DISTRIBUTION)
    install = f"run '{found.program} -m pip install {DISTRIBUTION}=={ours}' on every TaskManager"
    if there is None and found.protocol is None:
        return fail(check, f"{told} has no {DISTRIBUTION}", f"{install}, or {another}")
    if found.protocol not in (None, PROTOCOL) or there not in (None, ours):
        return fail(check, f"{told} has {DISTRIBUTION} {there}, and the jar is of {ours}", install)
    return ok(check, f"{told}, {DISTRIBUTION} {there or 'on its path'}")


def judge_packages(found: Interpreter, at_least: Mapping[str, str]) -> Finding:
    """The libraries of a writer, in versions that it can use."""
    check = "its packages"
    if found.start_error is not None or found.packages is None:
        return skip(check, "that Python doesn't start")
    if found.protocol is None and DISTRIBUTION not in found.packages:
        return skip(check, f"they come with {DISTRIBUTION}")
    there = found.packages
    install = f"run '{found.program} -m pip install \"{{}}\"' on every TaskManager"
    for name, least in at_least.items():
        if name not in there:
            return fail(check, f"{name} isn't installed", install.format(f"{name}>={least}"))
        if _numbers(there[name]) < _numbers(least):
            return fail(check, f"{name} {there[name]} is too old: {least} or newer", install.format(f"{name}>={least}"))
    if found.error is not None:
        return fail(
            check, found.error, f"run '{found.program} -m pip install --force-reinstall {DISTRIBUTION}' on every TaskManager"
        )
    return ok(check, ", ".join(f"{name} {there[name]}" for name in at_least))


def minima() -> dict[str, str]:
    """The least version of each library that a writer needs, as this package declares it."""
    declared = (re.match(r"([\w-]+)[^;]*?>=([\d.]+)", each) for each in _requirements())
    found = {each[1]: each[2] for each in declared if each}
    return {name: least for name, least in sorted(found.items()) if name not in _NOT_FOR_WRITERS}


def _requirements() -> Sequence[str]:
    return [each for each in metadata.requires(DISTRIBUTION) or () if "extra ==" not in each]


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)[:3]))
