"""A Flink with the bridge on disk, as the doctor should find it: links to the jars, so that it's made in no time and can be spoilt."""

import sys
from collections.abc import Mapping
from pathlib import Path

from ruamel.yaml import YAML

from tests.support.flink import JARS, flink_home, shim_jar


class Installation:
    """``home`` has lib, plugins and conf of its own; ``config`` goes into its config.yaml."""

    def __init__(self, home: Path, config: Mapping[str, object], plugin: str = "s3-fs-hadoop") -> None:
        self.home = home
        self.lib, self.plugins, self.conf = home / "lib", home / "plugins", home / "conf"
        jars = [*(flink_home() / "lib").glob("*.jar"), *(JARS / "lib").glob("*.jar"), shim_jar()]
        for folder, files in ((self.lib, jars), (self.plugins / plugin, (JARS / "plugins" / plugin).glob("*.jar"))):
            folder.mkdir(parents=True)
            for each in files:
                (folder / each.name).symlink_to(each)
        self.conf.mkdir()
        self.configure({"python.executable": sys.executable, "execution.checkpointing.interval": "10 s", **config})

    def configure(self, config: Mapping[str, object]) -> None:
        """In place of all that was configured."""
        self.config = dict(config)
        target = self.conf / "config.yaml"
        target.touch(mode=0o600)  # it may hold a store's keys
        with target.open("w") as out:
            YAML(typ="safe").dump(self.config, out)
