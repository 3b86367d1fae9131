"""Java as Flink's scripts find it, and whether it will do."""

from pathlib import Path

import pytest

from partition_bridge.doctor.finding import State
from partition_bridge.doctor.java import Java, find_java, judge_java, judge_java_home


@pytest.mark.parametrize(
    ("version", "state"),
    [("17.0.15", State.OK), ("21", State.OK), ("11.0.2", State.FAIL), ("1.8.0_392", State.FAIL), (None, State.FAIL)],
)
def test_java_17_and_newer_will_do(version: str | None, state: State) -> None:
    """What can't tell its version isn't trusted, and Java 8 calls itself 1.8."""
    judged = judge_java(Java("/usr/bin/java", "PATH"), version)
    assert judged.state is state, judged
    assert bool(judged.remedy) == (state is State.FAIL), "who is told of a fault is told what to do"


def home_with_java(folder: Path) -> Path:
    """A folder with an executable bin/java."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.touch(mode=0o755)
    return folder


def test_the_configuration_goes_before_java_home_and_that_before_path(tmp_path: Path) -> None:
    """The order of bin/bash-java-utils.sh."""
    configured, environment, path = (home_with_java(tmp_path / name) for name in ("configured", "environment", "path"))
    conf = tmp_path / "conf"
    conf.mkdir()
    around = {"PATH": str(path / "bin")}
    assert find_java(conf, around) == Java(str(path / "bin" / "java"), "PATH"), "without anything else"
    around["JAVA_HOME"] = str(environment)
    assert find_java(conf, around) == Java(str(environment / "bin" / "java"), "JAVA_HOME")
    (conf / "config.yaml").write_text(f"a: 1\nenv.java.home: {configured}  # ours\n")
    assert find_java(conf, around) == Java(str(configured / "bin" / "java"), "env.java.home")


def test_a_home_that_is_no_folder_is_passed_over_with_a_warning(tmp_path: Path) -> None:
    """Flink's scripts take the java on PATH then, and say nothing."""
    program = home_with_java(tmp_path / "path") / "bin" / "java"
    found = find_java(tmp_path, {"PATH": str(program.parent), "JAVA_HOME": "/gone"})
    assert found == Java(str(program), "PATH", "JAVA_HOME = /gone")
    judged = judge_java(found, "17")
    assert judged.state is State.WARN, "it runs, with another Java than was meant"
    assert "/gone" in judged.found


def test_no_java_at_all_is_a_failure(tmp_path: Path) -> None:
    """With the way out."""
    judged = judge_java(find_java(tmp_path, {"PATH": ""}), None)
    assert (judged.state, "JAVA_HOME" in judged.remedy) == (State.FAIL, True)


def test_a_nested_java_home_is_told_since_flinks_scripts_do_not_see_it() -> None:
    """Flink itself understands it, so that it looks right."""
    nested = judge_java_home(Java("/usr/bin/java", "PATH"), "/opt/jdk")
    assert nested is not None
    assert nested.state is State.WARN
    assert "env.java.home: /opt/jdk" in nested.remedy, "the line to write"
    assert judge_java_home(Java("/opt/jdk/bin/java", "env.java.home"), "/opt/jdk") is None, "it's flat: seen by both"
    assert judge_java_home(Java("/usr/bin/java", "PATH"), None) is None, "nothing is configured"
