"""What Flink's own sink on s3-fs-native makes of a store's answers to completions, and of deaths around them, beside the bridge:
one job each, Parquet, a file pending, one proxy between both of them and the store. docs/failures.md has the table.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.integration.faults import wait_for
from tests.integration.lake import BRIDGE, BUCKET, MULTIPART, STOCK, Lake
from tests.integration.stage import Stage
from tests.soak.stage import lake_on
from tests.support.faultproxy import FOR_EVER, Rule, Script
from tests.support.faultproxy.proxy import FaultProxy
from tests.support.servers import Versitygw

BOTH = pytest.mark.parametrize("connector", [STOCK, BRIDGE])
COMPLETE = "CompleteMultipartUpload"
DAY = "2024-01-01"
ROWS = range(10)


@dataclass(frozen=True)
class Far:
    """Whatever is asked of the store goes through the proxy, where a test is a case of its own; tests look at the store directly."""

    lake: Lake
    proxy: FaultProxy
    case: str = ""

    def strikes(self, *rules: Rule, flavour: str = "") -> None:
        self.proxy.use(Script(self.case, rules, flavour))

    def struck(self) -> int:
        return len(self.proxy.firings(self.case))

    def is_well(self) -> None:
        self.proxy.use(Script("none"))


@pytest.fixture(scope="module")
def one_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Far]:
    """Both connectors on the proxy: the JVM's clients, and the writers."""
    folder = tmp_path_factory.mktemp("far")
    with Versitygw(folder / "s3") as server, FaultProxy(server.endpoint, folder / "proxy") as proxy:
        config = {
            "s3.endpoint": proxy.endpoint,
            "restart-strategy.fixed-delay.attempts": "1000000",
            "restart-strategy.fixed-delay.delay": "200 ms",
        }
        with lake_on(server, folder, config) as lake:
            yield Far(lake, proxy)


@pytest.fixture
def far(one_cluster: Far, request: pytest.FixtureRequest) -> Iterator[Far]:
    """With jobs that end with the test, a store that is well, and no strike of another test."""
    there = one_cluster.lake
    with Lake(there.cluster, there.server, there.policies, there.faults) as lake:
        yield Far(lake, one_cluster.proxy, request.node.name)
    one_cluster.is_well()


def pending(far: Far, connector: str, folder: Path) -> Stage:
    """A job whose writer has rows that no checkpoint covers."""
    here = Stage(far.lake, connector, folder, dict(MULTIPART))
    here.starts(writers=1)
    here.feeds(ROWS, DAY)
    return here


def restarts(here: Stage) -> int:
    """How often Flink has restarted the job."""
    return here.lake.cluster.jobs.restarts(here.job.id)


def is_whole(here: Stage) -> None:
    """All rows are visible, the day is announced, and the job goes on."""
    here.job.waits_for("the rows", lambda: set(here.visible()) == set(ROWS))
    here.job.runs()
    here.checkpoints(2)
    assert here.is_committed(DAY), "and their day is announced"
    assert set(here.visible().values()) == {1}, "each row once"
    here.ends()


@dataclass(frozen=True)
class Answer:
    """`flink` and `bridge`: whether the job of that connector has failed of it once all is well again."""

    rule: Rule
    flink: bool
    bridge: bool


ANSWERS = {
    "its answer is lost": Answer(Rule(COMPLETE, "reset", "after", 1), flink=False, bridge=False),
    "all its answers are lost": Answer(Rule(COMPLETE, "reset", "after", FOR_EVER), flink=True, bridge=False),
    "503 until the job has failed": Answer(Rule(COMPLETE, "503", "before", FOR_EVER), flink=True, bridge=True),
    "an error in a 200": Answer(Rule(COMPLETE, "200-error", "before", 1), flink=False, bridge=False),
    "half of its answer": Answer(Rule(COMPLETE, "200-truncated", "before", 1), flink=True, bridge=False),
    "NoSuchUpload for a moment": Answer(Rule(COMPLETE, "no-such-upload", "before", 1), flink=True, bridge=False),
    "403 for a moment": Answer(Rule(COMPLETE, "forbidden", "before", 1), flink=True, bridge=True),
}


@pytest.mark.thorough
@BOTH
@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_answers_that_both_get_over(far: Far, tmp_path: Path, connector: str, answer: Answer) -> None:
    """Lost, late and wrong answers to a completion: no row is lost; Flink's sink restarts the job for some that the bridge looks into."""
    here = pending(far, connector, tmp_path)
    far.strikes(answer.rule)
    here.asks_for_checkpoint(0)
    fails = answer.flink if here.is_flinks else answer.bridge
    if fails:
        here.job.waits_for("the failure", lambda: restarts(here) > 0)
    else:
        here.job.waits_for("the rows", lambda: set(here.visible()) == set(ROWS))
    assert far.struck(), "the store has answered as it was told"
    far.is_well()
    is_whole(here)
    assert (restarts(here) > 0) == fails, f"failures: {here.job.causes}"


@BOTH
@pytest.mark.parametrize("outcome", ["200-html", pytest.param("200-empty", marks=pytest.mark.thorough)])
def test_a_yes_that_is_none(far: Far, tmp_path: Path, connector: str, outcome: str) -> None:
    """200 with a page of HTML, or with nothing, for a completion that the store hasn't seen, as by a gateway before it: Flink's sink
    takes it for a yes and announces a day whose rows are lost.
    """
    here = pending(far, connector, tmp_path)
    far.strikes(Rule(COMPLETE, outcome, "before", 1))
    here.checkpoints(2)
    assert far.struck() == 1, "the store has answered so once"
    assert here.is_committed(DAY), "the day is announced"
    if not here.is_flinks:
        is_whole(here)
        assert restarts(here) == 0, "the writer has read it back, and completed it again"
        return
    assert not here.visible(), "and a reader that trusts `_SUCCESS` finds no row"
    assert restarts(here) == 0, "nor does anybody learn of it"
    here.job.stops(drain=True)
    assert not here.visible(), "not even at the end"


def dies(here: Stage, far: Far, side: str) -> None:
    """Kill the TaskManager while the completion of a file hangs, before the store has done it or after that."""
    far.strikes(Rule(COMPLETE, "stall", side, FOR_EVER))
    here.asks_for_checkpoint(0)
    wait_for("a completion that hangs", far.struck)
    here.lake.kill_taskmanager()
    here.job.waits_for("the failure", lambda: restarts(here) > 0)


@pytest.mark.thorough
@BOTH
@pytest.mark.parametrize("side", ["before", "after"])
def test_a_death_around_a_completion(far: Far, tmp_path: Path, connector: str, side: str) -> None:
    """The TaskManager dies before or after a file becomes visible, and nobody has heard of it: the restore finds or completes it."""
    here = pending(far, connector, tmp_path)
    dies(here, far, side)
    far.is_well()
    is_whole(here)


@pytest.mark.thorough
@BOTH
def test_a_second_completion_is_refused(far: Far, tmp_path: Path, connector: str) -> None:
    """A store that knows a completed upload no more (MinIO, versitygw), and a task that fails before the next checkpoint: the replay gets over it."""
    here = pending(far, connector, tmp_path)
    far.strikes(flavour="minio")
    here.checkpoints(1)
    here.job.waits_for("the rows", lambda: set(here.visible()) == set(ROWS))
    here.fails_over()
    is_whole(here)
    assert far.struck() == here.is_flinks, "Flink's sink has asked and was refused; the bridge has looked first"


@pytest.mark.thorough
@BOTH
def test_an_upload_that_somebody_has_aborted(far: Far, tmp_path: Path, connector: str) -> None:
    """A lifecycle rule ends the upload that a checkpoint names: the job can't be restored from it on either; only the bridge says why."""
    here = pending(far, connector, tmp_path)
    dies(here, far, "before")
    abort_uploads(here)
    far.is_well()
    here.job.waits_for("a restore that fails", lambda: "upload" in here.job.causes)
    before = restarts(here)
    here.job.waits_for("more of them", lambda: restarts(here) > before + 2)
    assert not here.visible(), "nobody can have its rows any more"
    told = [word for word in ("AbortIncompleteMultipartUpload", "sink.restore.missing-upload") if word in here.job.causes]
    assert len(told) == (0 if here.is_flinks else 2), f"the probable cause, and what can be done: {here.job.causes}"


def abort_uploads(here: Stage) -> None:
    """As a rule for incomplete uploads does."""
    client = here.lake.server.client()
    for each in client.list_multipart_uploads(Bucket=BUCKET, Prefix=here.table.name)["Uploads"]:
        client.abort_multipart_upload(Bucket=BUCKET, Key=each["Key"], UploadId=each["UploadId"])
