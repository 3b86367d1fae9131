"""A real Hive Metastore as a JVM of the tests' own, on Derby in its folder, and what it says when it's asked without the bridge."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from pymetastore.hive_metastore import ThriftHiveMetastore, ttypes
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport, TTransportException

from tests.support.flink import ROOT
from tests.support.jars import compiled
from tests.support.ports import free_ports, listens
from tests.support.process import ServerFailed, ServerProcess
from tests.support.running import Running

READY_TIMEOUT = 180.0
"""Seconds; Derby makes its schema at the first start, on busy cores."""

PASSWORD = "changeit"


class Asked:
    """While in it, a client. No generator: contextlib changes an exception that passes one, and thrift's can't be changed."""

    def __init__(self, port: int) -> None:
        self._transport = TBufferedTransport(TSocket("127.0.0.1", port))

    def __enter__(self) -> Any:
        self._transport.open()
        return ThriftHiveMetastore.Client(TBinaryProtocol(self._transport))

    def __exit__(self, *exception: object) -> None:
        self._transport.close()


class HiveEndpoint:
    """A server as its clients see it, on a port of this machine."""

    def __init__(self, port: int) -> None:
        self.port = port

    def answers(self) -> bool:
        try:
            with self.asked() as client:
                return "default" in client.get_all_databases()
        except (TTransportException, OSError):
            return False

    def asked(self) -> "Asked":
        """Hive's own calls, by a client that isn't the bridge's."""
        return Asked(self.port)

    def create_database(self, name: str) -> None:
        with self.asked() as client:
            client.create_database(ttypes.Database(name=name, locationUri=f"s3://warehouse/{name}"))

    def has_table(self, database: str, table: str) -> bool:
        with self.asked() as client:
            return table in client.get_all_tables(database)

    def partitions(self, database: str, table: str) -> dict[str, str]:
        """Name and location of every partition, names as Hive makes them of the values."""
        with self.asked() as client:
            names = client.get_partition_names(database, table, -1)
            return {name: client.get_partition_by_name(database, table, name).sd.location for name in names}


class HiveMetastore(Running, HiveEndpoint):
    """One server of a version that `make metastores` has fetched. Its port stays the same over kill and restart."""

    def __init__(self, version: str, folder: Path, *, options: dict[str, str] | None = None) -> None:
        lib = ROOT / "build" / f"hms-{version}" / "lib"
        if not lib.is_dir():
            raise ServerFailed(f"no jars of Hive Metastore {version}: make build/hms-{version}/.complete")
        super().__init__(*free_ports(1))
        self.uri = f"thrift://127.0.0.1:{self.port}"
        self._plain = not options
        conf = folder / "conf"
        conf.mkdir(parents=True)
        given = {
            "metastore.thrift.port": str(self.port),
            "metastore.thrift.bind.host": "127.0.0.1",
            "metastore.warehouse.dir": str(folder / "warehouse"),
            "metastore.schema.verification": "false",
            "datanucleus.schema.autoCreateAll": "true",
            "javax.jdo.option.ConnectionURL": f"jdbc:derby:;databaseName={folder / 'db'};create=true",
            "javax.jdo.option.ConnectionDriverName": "org.apache.derby.jdbc.EmbeddedDriver",
            "metastore.expression.proxy": "org.apache.hadoop.hive.metastore.DefaultPartitionExpressionProxy",
            "metastore.task.threads.always": "org.apache.hadoop.hive.metastore.events.EventCleanerTask",
            "fs.s3.impl": "io.partitionbridge.metastore.FolderOfS3",
            "test.s3.folder": str(folder / "s3"),
            **(options or {}),
        }
        site = "".join(
            f"<property><name>{name}</name><value>{escape(value)}</value></property>\n" for name, value in given.items()
        )
        (conf / "metastore-site.xml").write_text(f"<configuration>\n{site}</configuration>\n")
        sources = sorted((ROOT / "tests" / "support" / "hive-metastore" / "java").rglob("*.java"))
        jar = compiled(folder, "folder-of-s3", sources, [lib / "*"])
        classpath = os.pathsep.join([str(conf), str(jar), str(lib / "*")])
        options_of_jvm = [
            "-Xmx512m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            f"-Dderby.stream.error.file={folder}/derby.log",
        ]
        command = ["java", *options_of_jvm, "-cp", classpath, "org.apache.hadoop.hive.metastore.HiveMetaStore"]
        kept = {key: value for key, value in os.environ.items() if key in ("PATH", "HOME", "JAVA_HOME", "LANG", "TMPDIR", "USER")}
        self.process = ServerProcess(f"hms-{version}", command, folder, kept)

    def start(self) -> None:
        self.process.start()
        self.process.wait_ready(self.answers if self._plain else lambda: listens(self.port), READY_TIMEOUT)

    def kill(self) -> None:
        self.process.kill()

    def stop(self) -> None:
        self.process.stop()


def key_store(folder: Path) -> tuple[dict[str, str], Path]:
    """Options for a server that speaks TLS, and the file with the certificate that vouches for it."""
    store, certificate = folder / "keys.p12", folder / "authority.pem"
    common = ["-keystore", str(store), "-storepass", PASSWORD, "-alias", "hms"]
    name = ["-dname", "CN=127.0.0.1", "-ext", "SAN=ip:127.0.0.1", "-keyalg", "RSA", "-validity", "2", "-storetype", "PKCS12"]
    _keytool(["-genkeypair", *common, *name])
    _keytool(["-exportcert", "-rfc", *common, "-file", str(certificate)])
    tls = {"metastore.use.SSL": "true", "metastore.keystore.path": str(store), "metastore.keystore.password": PASSWORD}
    return tls, certificate


def _keytool(arguments: Sequence[str]) -> None:
    subprocess.run(["keytool", *arguments], check=True, capture_output=True)
