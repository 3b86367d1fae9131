"""Where the parts of a Flink lie when they aren't in its home."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

LibOption = Annotated[
    Path | None, typer.Option(metavar="DIR", envvar="FLINK_LIB_DIR", help="Its lib folder, where it isn't the home's.")
]
PluginsOption = Annotated[
    Path | None, typer.Option(metavar="DIR", envvar="FLINK_PLUGINS_DIR", help="Its plugins, where they aren't the home's.")
]
ConfOption = Annotated[
    Path | None,
    typer.Option(metavar="DIR", envvar="FLINK_CONF_DIR", help="The folder of its config.yaml, where it isn't the home's."),
]
