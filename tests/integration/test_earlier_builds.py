"""A job of an earlier build is ended by this one (I7): a whole checkpoint, as Flink and the bridge wrote it then, is restored and gone on from."""

import shutil
from pathlib import Path

from tests.integration.lake import Lake, Table
from tests.integration.rows import Rows
from tests.support.golden_entries import FOLDER

CHECKPOINT = FOLDER.parent / "checkpoints" / "v1-job.bin"
"""`_metadata` of a checkpoint that commit c14ee66 took of this very statement set, on Flink 2.3.0, when it had read 120 rows. It names six
files of either table with all of their bytes, so that a store that has never seen them can have them; one of JSON was open.
"""

ROWS = Rows(200, per_day=20)
FILES = 6
BY_TIME = {"sink.partition-commit.trigger": "partition-time", "sink.partition-commit.delay": "1 d"}
QUERY = "SELECT id, MD5(CAST(id AS STRING)), DATE_FORMAT(ts, 'yyyy-MM-dd') FROM numbers"


def test_a_checkpoint_of_an_earlier_build(lake: Lake, tmp_path: Path) -> None:
    """What its state names becomes visible under the names of then, the source goes on behind it, and every day is announced."""
    (tmp_path / "checkpoint").mkdir()
    shutil.copy(CHECKPOINT, tmp_path / "checkpoint" / "_metadata")
    # The paths are in the state.
    rolled, goes_on = (
        Table(lake.server, f"golden-{format_}", ROWS.columns, options={"format": format_, **BY_TIME})
        for format_ in ("parquet", "json")
    )
    tables = rolled.ddl.replace("TABLE sink", "TABLE rolled") + goes_on.ddl.replace("TABLE sink", "TABLE `open`")

    job = lake.insert(
        ROWS.source(20) + tables,
        f"EXECUTE STATEMENT SET BEGIN INSERT INTO rolled {QUERY}; INSERT INTO `open` {QUERY}; END",
        {
            "parallelism.default": "1",
            "execution.checkpointing.interval": "500 ms",
            "execution.state-recovery.path": (tmp_path / "checkpoint").as_uri(),
        },
    )
    job.finishes()

    state = CHECKPOINT.read_bytes()
    for table in (rolled, goes_on):
        named = [key for key in table.objects() if key.encode() in state]
        assert len(named) == FILES, f"the checkpoint's files are there, and under their own names: {named}"
        table.audit(ROWS.expected(), ROWS.paths())
