"""What each option does, seen in a store after one job with a table for several of them at a time. docs/options.md names these tests."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.integration.faults import FaultPoints
from tests.integration.lake import Lake
from tests.integration.options import EXTRACTOR, FAT, FILE_SIZE, HOURS, PART_SIZE, POLICY, Options
from tests.support.flink import FlinkCluster
from tests.support.recording_writer import at_once
from tests.support.servers import S3Server

ENCODERS = ("arrow", "host")
encoders = pytest.mark.parametrize("encoder", ENCODERS)
PATIENCE = 90.0
"""Seconds; each look takes a checkpoint of twenty tasks."""
SOON = 40.0
"""Seconds; less than the minute after which Flink looks at open files where the table doesn't say otherwise."""

A, B, NOBODY = "p=a/", "p=b/", "p=nobody/"
MULTIPART = {"sink.upload.inline-threshold": "0 b"}
UNCOMPRESSED = {"parquet.compression": "UNCOMPRESSED", "parquet.enable.dictionary": "false"}
AT_ONCE = {"sink.rolling-policy.check-interval": "100 ms"}
FIRST, SECOND = (f"d=20240101/h={hour}/" for hour in HOURS)
BY_TIME = ("hours_arrow", "hours_host", "shuffled_arrow", "spread_host")
CLOCKS = ("hours_arrow", "hours_host")
"""Their files end by themselves within moments, so what is visible of them tells how far the job is."""

EARLY = {"hours_arrow": FIRST, "hours_host": FIRST, "named_arrow": A, "named_host": A, "large_arrow": A, "large_host": A}
LARGE = ("large_arrow", "large_host")
TABLES = (*(f"{kind}_{encoder}" for kind in ("named", "hours", "large") for encoder in ENCODERS), "shuffled_arrow", "spread_host")
COMPACTED = """
CREATE TEMPORARY TABLE {name} (id BIGINT, p STRING) PARTITIONED BY (p) WITH (
  'connector' = 'filesystem-bridge', 'path' = '{path}', 'format' = 'csv', 'sink.parallelism' = '2',
  'auto-compaction' = 'true'{more}
);
"""


def looks_at(*kinds: str) -> Any:
    """The tables that a test needs, by the first word of their names: where only some tests are run, their job has no others."""
    return pytest.mark.tables(*kinds)


def declare(options: Options, kinds: set[str]) -> None:
    """The tables of these kinds: each option that can be seen by itself shares a table with others."""
    for encoder in ENCODERS:
        declare_by_encoder(options, kinds, encoder)
    aged = {"sink.parallelism": "2", "sink.rolling-policy.rollover-interval": "300 ms", **AT_ONCE, **MULTIPART}
    if "shuffled" in kinds:
        options.add("shuffled_arrow", "arrow", {"sink.shuffle-by-partition.enable": "true", **aged})
    if "spread" in kinds:
        options.add("spread_host", "host", {"format": "parquet", "sink.writer.encoder": "host", **aged})


def declare_by_encoder(options: Options, kinds: set[str], encoder: str) -> None:
    """Those that are there once for pyarrow and once for Flink's format."""
    if "named" in kinds:
        options.add(
            f"named_{encoder}",
            encoder,
            {
                "partition.default-name": "nobody",
                "sink.file.prefix": "rows",
                "sink.file.suffix": f".{encoder}",
                "sink.partition-commit.trigger": "partition-time",
                "sink.partition-commit.delay": "1 h",
                "sink.partition-commit.success-file.name": "READY",
                "sink.partition-commit.policy.kind": "custom,success-file",
                "sink.partition-commit.policy.class": POLICY,
                "sink.partition-commit.policy.class.parameters": f"{options.calls};{encoder}",
                "partition.time-extractor.kind": "custom",
                "partition.time-extractor.class": EXTRACTOR,
                "sink.restore.missing-upload": "skip",
                "sink.state.inline-limit": "3 mb",
            },
        )
    options.add(
        f"hours_{encoder}",
        encoder,
        {
            "sink.partition-commit.trigger": "partition-time",
            "sink.partition-commit.delay": "1 h",
            "partition.time-extractor.timestamp-pattern": "$d $h:00",
            "partition.time-extractor.timestamp-formatter": "yyyyMMdd HH:mm",
            "sink.rolling-policy.inactivity-interval": "300 ms",
            "sink.upload.checksum": "crc64nvme",
            "sink.upload.conditional": "on",
            **AT_ONCE,
            **MULTIPART,
        },
        hours=True,
    )
    if "large" in kinds:
        options.add(
            f"large_{encoder}",
            encoder,
            {
                "sink.rolling-policy.file-size": f"{FILE_SIZE} b",
                "sink.upload.part-size": f"{PART_SIZE} b",
                "sink.upload.concurrency": "1",
                "sink.commit.concurrency": "1",
                "sink.upload.conditional": "off",
                "sink.writer.memory": "64 mb",  # four parts, of whatever size they are
                **(UNCOMPRESSED if encoder == "arrow" else {}),
                **MULTIPART,
            },
            fat=True,
        )


@pytest.fixture(scope="module")
def options(
    cluster: FlinkCluster,
    server: S3Server,
    policies: str,
    fault_folder: Path,
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> Iterator[Options]:
    """The job, run to its end: rows of two hours, what is announced between them, and a stop that drains.

    What doesn't happen is for the tests to find: each fails for the option that it is about, and not all of them for any.
    """
    here = (item for item in request.session.items if item.path == request.path)
    kinds = {kind for item in here for mark in item.iter_markers("tables") for kind in mark.args}
    with Lake(cluster, server, policies, FaultPoints(fault_folder)) as lake:
        options = Options(lake, tmp_path_factory.mktemp("options"))
        declare(options, kinds)
        if "compacted" in kinds:
            merged, apart = (options.folder / name for name in ("merged", "apart"))
            flinks = COMPACTED.format(name="merged", path=merged.as_uri(), more="")
            flinks += COMPACTED.format(name="apart", path=apart.as_uri(), more=", 'compaction.file-size' = '1 b'")
            options.starts(flinks, ("INSERT INTO merged SELECT id, p FROM fed", "INSERT INTO apart SELECT id, p FROM fed"))
        else:
            options.starts()

        # Phase 1: rows of the first hour. No checkpoint ends a file, so what has ended one is its age, its size or that it was idle.
        options.feeds(HOURS[0])
        by_time = [table for name, table in options.tables.items() if name in BY_TIME]
        options.comes("files that have ended by time", lambda: all(table.data_requests() for table in by_time), SOON)
        # What pyarrow has written is told a moment later, and a file ends with the next row after that.
        for name in set(LARGE) & set(options.tables):
            options.comes(f"a file of {name} that has ended by its size", options.one_row_more_ends(name, HOURS[0]), SOON)
        options.before_any_checkpoint = {name: each.data_requests() for name, each in options.tables.items()}

        # Phase 2: rows of the second hour, which the source finds while it runs; with them the first hour is over.
        options.comes("the rows of the first hour", partial(options.all_visible, *CLOCKS), PATIENCE)
        options.feeds(HOURS[1])
        options.comes("the rows of the second hour", partial(options.all_visible, *CLOCKS), PATIENCE)
        options.comes("the announcements that are due", lambda: options.announced(EARLY), PATIENCE)
        options.announced_on_the_way = {name: set(each.listing().success) for name, each in options.tables.items()}
        options.ends()
        yield options


@looks_at("named", "large", "shuffled", "spread", "compacted")
def test_everything_came_that_was_waited_for(options: Options) -> None:
    """The job ran as it was meant to: what the other tests look at is what it has done, and not what it has left undone."""
    assert not options.missed


@looks_at("named", "large", "shuffled", "spread")
@pytest.mark.parametrize("name", TABLES)
def test_every_row_is_there_once(options: Options, name: str) -> None:
    """Whatever the options of its table: the whole audit."""
    options.audits(name)


def test_source_monitor_interval(options: Options) -> None:
    """A file that came when the job was running has been read ('source.monitor-interval' of its source)."""
    options.audits("hours_host")


@looks_at("named")
@encoders
def test_path_and_format(options: Options, encoder: str) -> None:
    """Files of the format lie under the path."""
    written = options.tables[f"named_{encoder}"]
    assert all(each.key.startswith(f"{written.table.name}/p=") for each in written.files)
    options.audits(written.name)


@looks_at("named")
@encoders
def test_partition_default_name(options: Options, encoder: str) -> None:
    """Rows without a partition lie under this name."""
    assert set(options.tables[f"named_{encoder}"].by_partition()) == {A, B, NOBODY}


@looks_at("named")
@encoders
def test_file_prefix_and_suffix(options: Options, encoder: str) -> None:
    """Names begin and end as asked for."""
    for names in options.tables[f"named_{encoder}"].by_partition().values():
        assert all(name.startswith("rows-") and name.endswith(f".{encoder}") for name in names), names


@looks_at("named")
@encoders
def test_success_file_name(options: Options, encoder: str) -> None:
    """The success file has this name, in each partition."""
    written = options.tables[f"named_{encoder}"]
    assert set(written.listing().success) == set(written.by_partition())


@looks_at("named")
@encoders
def test_custom_policy(options: Options, encoder: str) -> None:
    """The class is called with its parameters for each partition, along with Flink's own policy."""
    assert options.tables[f"named_{encoder}"].files
    lines = [line.split("\t") for line in (options.calls.read_text().splitlines() if options.calls.exists() else ())]
    called = [value for mark, _, value, _ in lines if mark == encoder]
    assert set(called) == {"a", "b", "nobody"}, "for the encoder's table, which the second parameter names"


@looks_at("named")
@encoders
def test_time_extractor_class(options: Options, encoder: str) -> None:
    """The class knows a time for a letter: 'a' is over when the others aren't. Flink's own extractor would fail the job."""
    written = options.tables[f"named_{encoder}"]
    assert written.files
    assert options.announced_on_the_way[written.name] == {A}


@encoders
def test_time_extractor_pattern_and_formatter(options: Options, encoder: str) -> None:
    """Day and hour in columns of their own, the day without dashes: neither default could read that."""
    written = options.tables[f"hours_{encoder}"]
    assert set(written.by_partition()) == {FIRST, SECOND}
    assert options.announced_on_the_way[written.name] == {FIRST}


@looks_at("large")
@encoders
def test_trigger_and_delay(options: Options, encoder: str) -> None:
    """By event time the hour that goes on isn't announced though it began; by process time, which is the default, all is."""
    by_time, by_clock = options.tables[f"hours_{encoder}"], options.tables[f"large_{encoder}"]
    assert by_time.files
    assert by_clock.files
    assert options.announced_on_the_way[by_time.name] == {FIRST}, "the watermark has passed its end, and the next one's beginning"
    assert options.announced_on_the_way[by_clock.name] == {A, B, "p=__DEFAULT_PARTITION__/"}
    assert set(by_time.listing().success) == {FIRST, SECOND}, "the end of input ends it, too"


@looks_at("large")
@encoders
def test_rolling_by_size(options: Options, encoder: str) -> None:
    """A file ends with the row that makes it larger. Flink's format is exact; what pyarrow has written is told a moment later."""
    written = options.tables[f"large_{encoder}"]
    assert written.files
    ended = options.ended_by_size_before_any_checkpoint.get(written.name, [])
    assert ended, "nothing else ends a file of 'sink.rolling-policy.file-size' before a checkpoint"
    assert min(ended) > FILE_SIZE, "and none before it is as large"
    assert encoder == "arrow" or max(ended) < FILE_SIZE + 2 * FAT, "Flink's format ends it with the very row"


@encoders
def test_rolling_by_idleness(options: Options, encoder: str) -> None:
    """Files that get no more rows end within moments, before any checkpoint. Both interval and check are others by default."""
    written = options.tables[f"hours_{encoder}"]
    assert written.files
    assert options.before_any_checkpoint[written.name], "its bytes are on their way"


@looks_at("shuffled", "spread")
@pytest.mark.parametrize(("name", "encoder"), [("shuffled_arrow", "arrow"), ("spread_host", "host")], ids=ENCODERS)
def test_rolling_by_age(options: Options, name: str, encoder: str) -> None:
    """Files of an age end though no checkpoint has come."""
    assert options.tables[name].encoder == encoder
    assert options.tables[name].files
    assert options.before_any_checkpoint[name], "its bytes are on their way"


@looks_at("named")
@encoders
def test_rolling_check_interval(options: Options, encoder: str) -> None:
    """Nobody looks at the age of files more often than asked: with the default minute none has ended before the first checkpoint."""
    looked_at, not_yet = options.tables[f"hours_{encoder}"], options.tables[f"named_{encoder}"]
    assert looked_at.files
    assert not_yet.files
    assert options.before_any_checkpoint[looked_at.name]
    assert not options.before_any_checkpoint[not_yet.name]


@looks_at("named", "spread")
def test_parallelism(options: Options) -> None:
    """The number of writers is the option's and not the input's: names tell the subtask."""
    assert subtasks(options, "spread_host") == {A: {0, 1}, B: {0, 1}, "p=__DEFAULT_PARTITION__/": {0, 1}}
    assert all(each == {0} for each in subtasks(options, "named_arrow").values())


@looks_at("shuffled")
def test_shuffle_by_partition(options: Options) -> None:
    """Rows of a partition come together in one of the two subtasks."""
    assert all(len(each) == 1 for each in subtasks(options, "shuffled_arrow").values())


def subtasks(options: Options, name: str) -> dict[str, set[int]]:
    """Which subtasks have written each partition."""
    by_partition = options.tables[name].by_partition().items()
    return {path: {int(name.partition(".")[0].split("-")[-2]) for name in names} for path, names in by_partition}


@looks_at("large")
@encoders
def test_part_size(options: Options, encoder: str) -> None:
    """Every part but a file's last has exactly this size."""
    written = options.tables[f"large_{encoder}"]
    assert written.files
    parts: dict[str, list[int]] = {}
    for each in written.data_requests():
        parts.setdefault(each.key, []).append(each.size)
    several = [sorted(sizes, reverse=True) for sizes in parts.values() if len(sizes) > 1]
    assert several, "files of several parts"
    assert all(size == PART_SIZE for sizes in several for size in sizes[:-1])


@looks_at("named")
@encoders
def test_inline_threshold(options: Options, encoder: str) -> None:
    """With 0 small files are multipart uploads; by default they're stored by one request."""
    multipart, single = options.tables[f"hours_{encoder}"], options.tables[f"named_{encoder}"]
    assert multipart.files
    assert single.files
    assert all(each.is_part for each in multipart.data_requests())
    assert all(each.is_put for each in single.data_requests())


@looks_at("large", "spread")
@encoders
def test_upload_and_commit_concurrency(options: Options, encoder: str) -> None:
    """With 1 a writer has one part and one completion under way; by default several (each is held for a moment on its way)."""
    one_by_one, together = options.tables[f"large_{encoder}"], options.tables["spread_host"]
    assert one_by_one.files
    for kind in ("is_part", "is_completion"):
        few, many = ([each for each in table.sent() if getattr(each, kind)] for table in (one_by_one, together))
        assert len(few) > 1
        assert at_once(few) == 1, kind
        assert at_once(many) > 1, f"{kind}: the option isn't what limits it"


@looks_at("large")
@encoders
def test_checksum(options: Options, encoder: str) -> None:
    """Parts bear the checksum, which the store has compared; by default none outside of AWS."""
    summed, plain = options.tables[f"hours_{encoder}"], options.tables[f"large_{encoder}"]
    assert summed.files
    assert plain.files
    assert all("x-amz-checksum-crc64nvme" in each.headers for each in summed.data_requests())
    assert not any("x-amz-checksum-crc64nvme" in each.headers for each in plain.data_requests())


@looks_at("named", "large")
@encoders
def test_conditional(options: Options, encoder: str) -> None:
    """'on' tries the store at the start; 'off' asks for nothing; 'auto' asks that no file be there already."""
    on, off, auto = (options.tables[f"{name}_{encoder}"] for name in ("hours", "large", "named"))
    assert all(each.files for each in (on, off, auto))
    tries = {table.name for table in (on, off, auto) if any("/_conditional-" in each.key for each in table.sent())}
    assert tries == {on.name}
    asks = {table.name for table in (on, off, auto) if any("if-none-match" in each.headers for each in table.sent())}
    assert asks == {on.name, auto.name}


@looks_at("named", "large")
@encoders
def test_what_a_writer_is_told(options: Options, encoder: str) -> None:
    """Limits whose effect other tests show (test_memory.py, test_writer_process.py) come from the DDL."""
    told, otherwise = options.record.start(f"named_{encoder}"), options.record.start(f"large_{encoder}")
    assert told["encoder"] == otherwise["encoder"] == encoder
    assert (told["missing_upload"], otherwise["missing_upload"]) == ("skip", "fail")
    assert told["inline_limit"] <= 3 << 20 < otherwise["inline_limit"]
    assert otherwise["memory"] <= 64 << 20 < told["memory"]


@looks_at("spread")
def test_writer_encoder(options: Options) -> None:
    """Parquet by Flink's own format, where pyarrow could have done it."""
    written = options.tables["spread_host"]
    assert written.path.data_format == "parquet"
    assert {written.encoded_by(each) for each in written.files} == {"host"}


@looks_at("named", "large", "shuffled", "spread")
def test_python_executable(options: Options) -> None:
    """Every writer of the tables runs in the interpreter that 'python.executable' names: it has kept the record."""
    assert all(written.sent() and written.files for written in options.tables.values())


@looks_at("compacted")
def test_compaction_file_size(options: Options) -> None:
    """Flink's own sink compacts, up to this size: its operators say why it is Flink's."""
    assert "compact-coordinator (Flink's sink: " in options.operators
    for letter in ("a", "b"):
        merged, apart = (len(list((options.folder / name / f"p={letter}").glob("compacted-*"))) for name in ("merged", "apart"))
        assert 0 < merged < apart, "files of two subtasks become one, unless that would be too large"
