"""docs/metrics.md has every metric that the shim registers, and docs/alerts.yaml asks for no other."""

import re

from ruamel.yaml import YAML

from tests.support.flink import ROOT

_JAVA = ROOT / "java-shim" / "src" / "main" / "java" / "io" / "partitionbridge"
_REGISTERED = re.compile(r'\b(?:counter|gauge|histogram)\(\s*(?:group,\s*)?"(\w+)"')
_OF_A_REASON = re.compile(r'^\s+[A-Z_]+\("(partitionsWaiting\w+)"\)', re.MULTILINE)
_SCOPE = "flink_taskmanager_job_task_operator_"


def registered() -> set[str]:
    """By the shim's sources: a metric's name is a constant where it's made."""
    sources = [each.read_text() for each in _JAVA.rglob("*.java")]
    return {name for source in sources for pattern in (_REGISTERED, _OF_A_REASON) for name in pattern.findall(source)}


def documented() -> set[str]:
    """Names in the first column of the page's tables."""
    rows = [line.split("|")[1] for line in (ROOT / "docs" / "metrics.md").read_text().splitlines() if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def test_the_page_has_every_metric() -> None:
    """No more and no less."""
    assert documented() == registered()
    assert "commitMs" in documented(), "histograms too"
    assert "partitionsWaitingForDelay" in documented(), "and reasons"


def test_alert_rules_ask_for_metrics_that_there_are() -> None:
    """A rule on a name that nobody exports would be silent for ever; and each says what to do."""
    (group,) = YAML(typ="safe").load(ROOT / "docs" / "alerts.yaml")["groups"]
    names = [rule["alert"] for rule in group["rules"]]
    assert len(names) == len(set(names)), "each once"
    for rule in group["rules"]:
        asked = set(re.findall(r"\bflink_\w+", rule["expr"]))
        assert asked, rule
        assert {name.removeprefix(_SCOPE) for name in asked} <= documented(), rule["expr"]
        assert {"summary", "action"} <= rule["annotations"].keys(), rule["alert"]
