"""Checkpoints with given entries, written by Flink's own classes."""

import subprocess
from pathlib import Path

from partition_bridge.install.flink_home import find_flink_home

MAKER = Path(__file__).with_name("CheckpointMaker.java")


def make_checkpoint(folder: Path, entries: list[bytes], *, compressed: bool = False) -> Path:
    """A checkpoint directory whose bridge state holds `entries`, spread over two subtasks."""
    folder.parent.mkdir(exist_ok=True)
    files = []
    for number, entry in enumerate(entries):
        files.append(folder.parent / f"{folder.name}-{number}.bin")
        files[-1].write_bytes(entry)
    flink = find_flink_home(None)
    command = ["java", "-cp", str(flink.lib / "*"), str(MAKER), str(folder), str(compressed).lower(), *map(str, files)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return folder
