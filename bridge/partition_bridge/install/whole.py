"""Files that appear whole or not at all, in a folder that running JVMs read."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from partition_bridge.errors import Configuration


def write_whole(target: Path, content: bytes) -> None:
    """Write ``content`` aside, then give it its name. Raises ``OSError``; nothing is left then.

    The name before that doesn't end in .jar: Flink's scripts put lib/*.jar on the class path.
    """
    descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(descriptor, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def unwritable(folder: Path, refused: OSError) -> Configuration:
    """What to say when ``folder`` can't be changed."""
    return Configuration(f"{folder} can't be changed ({refused.strerror}): run this as the owner of that folder")
