"""Folders that look like a Flink, made of jars as small as a test needs."""

import zipfile
from pathlib import Path

FACTORIES = "META-INF/services/org.apache.flink.table.factories.Factory"


def make_flink_home(folder: Path, version: str = "2.3.0") -> Path:
    """A Flink home with a lib folder of two jars, none of them the shim's."""
    lib = folder / "lib"
    lib.mkdir(parents=True)
    make_jar(
        lib / f"flink-dist-{version}.jar", {"META-INF/MANIFEST.MF": f"Manifest-Version: 1.0\nImplementation-Version: {version}\n"}
    )
    make_jar(
        lib / f"flink-connector-files-{version}.jar",
        {FACTORIES: "org.apache.flink.connector.file.table.FileSystemTableFactory\n"},
    )
    return folder


def make_shim_jar(path: Path, content: str = "") -> Path:
    """A jar that registers the shim's factory, as Flink's service loader would find it."""
    return make_jar(path, {FACTORIES: "io.partitionbridge.table.BridgeTableFactory\n", "content": content})


def make_jar(path: Path, entries: dict[str, str]) -> Path:
    """A zip file of text entries."""
    with zipfile.ZipFile(path, "w") as jar:
        for name, text in entries.items():
            jar.writestr(name, text)
    return path
