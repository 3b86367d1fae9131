"""Set-ups with one fault each, by the headings of docs/misconfigurations.md: a Flink on disk, and a store behind it where that matters."""

import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from time import time

from tests.support.expiry import Answer, Door
from tests.support.flink import s3_config
from tests.support.flink_homes import make_flink_home, make_shim_jar
from tests.support.installations import Installation
from tests.support.servers import S3Server

TABLE = "s3://lake/flights"
_NOTHING: Mapping[str, str] = {}
Answers = Callable[[BaseHTTPRequestHandler, Callable[[], Answer]], Answer]
"""What a store says to a request; the second argument asks the real store."""

_XML = {"Content-Type": "application/xml"}


@dataclass
class SetUp:
    """What a case spoils, and the command that looks at it. `left` is closed after the command."""

    folder: Path
    flink: Installation
    store: S3Server
    left: ExitStack
    command: list[str] = field(default_factory=lambda: ["doctor", "--quiet"])
    arguments: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    home: Path | None = None

    def table(self, changes: Mapping[str, str] = _NOTHING, path: str = TABLE) -> None:
        """Look at the table's store, too, with these keys of Flink's configuration besides those that it needs."""
        self.flink.configure({**self.flink.config, **s3_config(self.store), **changes})
        self.arguments.append(path)

    def store_that(self, answers: Answers) -> None:
        """Look at a table in a store that answers like this."""
        self.table({"s3.endpoint": self.left.enter_context(Amended(self.store.endpoint, answers)).endpoint})

    def interpreter(self, program: str) -> None:
        """The writers' Python is this shell line."""
        script = self.folder / "python3"
        script.write_text(f"#!/bin/sh\n{program}\n")
        script.chmod(0o755)
        self.flink.configure({**self.flink.config, "python.executable": str(script)})

    def java(self, version: str) -> None:
        """A Java that tells this version."""
        program = self.folder / "java-home" / "bin" / "java"
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
        program.chmod(0o755)
        self.environment["JAVA_HOME"] = str(program.parents[1])


class Amended(Door):
    """A store before a real one: what `answers` makes of a request and of the real answer, as if rights, rules or clock were others."""

    def __init__(self, server: str, answers: Answers) -> None:
        super().__init__(server, lambda _: False)
        self._answers = answers

    def answer(self, request: BaseHTTPRequestHandler, body: bytes) -> Answer:
        return self._answers(request, lambda: self.passed(request, body))


def _no_jar(case: SetUp) -> None:
    for each in case.flink.lib.glob("flink-partition-bridge-*.jar"):
        each.unlink()


def _older_jar(case: SetUp) -> None:
    make_shim_jar(case.flink.lib / "flink-partition-bridge-0.0.9.jar")


def _other_flink(case: SetUp) -> None:
    case.command = ["install"]
    case.home = make_flink_home(case.folder / "older", "1.20.1")


def _no_flink(case: SetUp) -> None:
    case.home = case.folder


def _two_connectors(case: SetUp) -> None:
    (jar,) = case.flink.lib.glob("flink-connector-files-*.jar")
    (case.flink.lib / "flink-connector-files-2.2.0.jar").symlink_to(jar.resolve())


def _no_format(case: SetUp) -> None:
    for each in case.flink.lib.glob("flink-sql-parquet-*.jar"):
        each.unlink()


def _no_hadoop(case: SetUp) -> None:
    for each in case.flink.lib.glob("hadoop-client-*.jar"):
        each.unlink()


def _plugin_in_lib(case: SetUp) -> None:
    for each in list(case.flink.plugins.glob("*/flink-s3-fs-*.jar")):
        each.rename(case.flink.lib / each.name)


def _no_plugin(case: SetUp) -> None:
    for each in list(case.flink.plugins.glob("*/*.jar")):
        each.unlink()


def _no_java(case: SetUp) -> None:
    case.environment.update(PATH=str(case.folder), JAVA_HOME="")


def _java_11(case: SetUp) -> None:
    case.java("11.0.25")


def _broken_yaml(case: SetUp) -> None:
    (case.flink.conf / "config.yaml").write_text("s3:\n\taccess-key: AK\n")


def _no_package(case: SetUp) -> None:
    case.interpreter(f'exec {Path(sys.base_prefix) / "bin" / "python3"} -E -S "$@"')


def _old_pyarrow(case: SetUp) -> None:
    told = case.folder / "pyarrow-15.0.2.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: pyarrow\nVersion: 15.0.2\n")
    case.interpreter(f'PYTHONPATH="{case.folder}" exec {sys.executable} "$@"')


def _wrong_endpoint(case: SetUp) -> None:
    case.table({"s3.endpoint": "http://127.0.0.1:9"})


def _wrong_key(case: SetUp) -> None:
    case.table({"s3.access-key": "AKWRONG"})


def _wrong_region(case: SetUp) -> None:
    case.table({"s3.region": "eu-west-1"})


def _no_bucket(case: SetUp) -> None:
    case.table(path="s3://lakes/flights")


def _hasty_rule(case: SetUp) -> None:
    def answers(request: BaseHTTPRequestHandler, real: Callable[[], Answer]) -> Answer:
        if not request.path.endswith("?lifecycle"):
            return real()
        rule = "<Rule><ID>tidy-up</ID><Status>Enabled</Status><Filter><Prefix></Prefix></Filter><AbortIncompleteMultipartUpload><DaysAfterInitiation>1</DaysAfterInitiation></AbortIncompleteMultipartUpload></Rule>"
        return 200, _XML, f"<LifecycleConfiguration>{rule}</LifecycleConfiguration>".encode()

    case.flink.configure(
        {**case.flink.config, "execution.checkpointing.interval": "12 h", "execution.checkpointing.num-retained": 4}
    )
    case.store_that(answers)


def _slow_clock(case: SetUp) -> None:
    def answers(_request: BaseHTTPRequestHandler, _real: Callable[[], Answer]) -> Answer:
        late = b"<Error><Code>RequestTimeTooSkewed</Code><Message>The difference between the request time and the server's time is too large.</Message></Error>"
        return 403, {**_XML, "Date": formatdate(time() + 1200, usegmt=True)}, late

    case.store_that(answers)


def _no_right_to(case: SetUp, refuses: Callable[[BaseHTTPRequestHandler], bool]) -> None:
    def answers(request: BaseHTTPRequestHandler, real: Callable[[], Answer]) -> Answer:
        if refuses(request):
            return 403, _XML, b"<Error><Code>AccessDenied</Code><Message>Access Denied.</Message></Error>"
        return real()

    case.store_that(answers)


def _no_right_to_upload(case: SetUp) -> None:
    _no_right_to(case, lambda request: request.command == "POST")


def _no_right_to_delete(case: SetUp) -> None:
    _no_right_to(case, lambda request: request.command == "DELETE" and "uploadId" not in request.path)


def _unknown_key(case: SetUp) -> None:
    case.table({"fs.s3a.proxy.domain": "CORP"})


def _no_checkpoints(case: SetUp) -> None:
    case.flink.configure({"python.executable": sys.executable})
    file = case.folder / "job.sql"
    file.write_text(
        "CREATE TABLE clicks (who STRING, `day` STRING) WITH ('connector' = 'datagen');"
        "CREATE TABLE lake (who STRING, `day` STRING) PARTITIONED BY (`day`)"
        f" WITH ('connector' = 'filesystem-bridge', 'path' = '{TABLE}', 'format' = 'parquet');"
        "INSERT INTO lake SELECT * FROM clicks;"
    )
    case.command = ["explain"]
    case.arguments.append(str(file))


CI: dict[str, Callable[[SetUp], None]] = {
    "The jar isn't in Flink's lib": _no_jar,
    "A jar of another release is still there": _older_jar,
    "This Flink isn't one that the bridge is built for": _other_flink,
    "The folder is no Flink": _no_flink,
    "Two connectors answer to one name": _two_connectors,
    "The format's jar is missing": _no_format,
    "The S3 plugin lies in lib": _plugin_in_lib,
    "There is no Java": _no_java,
    "Java is too old": _java_11,
    "pyarrow is too old": _old_pyarrow,
    "The endpoint is wrong": _wrong_endpoint,
    "The access key is wrong": _wrong_key,
    "The region is wrong": _wrong_region,
    "The bucket doesn't exist": _no_bucket,
    "A rule of the bucket aborts uploads too early": _hasty_rule,
    "Checkpoints are off": _no_checkpoints,
}
"""Looked at by each run of CI."""

THOROUGH: dict[str, Callable[[SetUp], None]] = {
    "Hadoop's classes are missing": _no_hadoop,
    "There is no S3 plugin": _no_plugin,
    "Flink can't read its configuration": _broken_yaml,
    "The writers' Python lacks the package": _no_package,
    "The clock is wrong": _slow_clock,
    "The credentials may not upload": _no_right_to_upload,
    "The credentials may not delete": _no_right_to_delete,
    "A key of Flink's S3 configuration can't be translated": _unknown_key,
}
"""Each three more seconds."""

JOBS = {
    "Jar and Python package are of different releases": "wrong-versions",
    "There is no such interpreter": "no-python",
    "pyarrow is missing": "no-pyarrow",
    "There is an object where the table's folder should be": "unwritable-path",
    "An option is misspelt": "unknown-option",
    "The format is misspelt, or its jar is missing": "unknown-format",
    "The part size is out of S3's limits": "part-size-too-small",
    "The list of policies has a blank in it": "bad-policy-kind",
    "The path has a scheme that nobody knows": "unknown-scheme",
    "The query gives updates and deletes": "changelog-input",
    "INSERT OVERWRITE in a stream": "streaming-overwrite",
}
"""What a statement or a job says: a message that test_wrong_input.py has brought about and compared, by its file's name."""
