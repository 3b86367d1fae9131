"""The writers' interpreter: looked at for real, judged by values."""

import os
import sys
from pathlib import Path

import pytest

from partition_bridge.doctor.finding import State
from partition_bridge.doctor.python import Interpreter, judge_interpreter, judge_packages, look_at, minima

WHOLE = Interpreter(
    "python3",
    version="3.11.7",
    program="/opt/venv/bin/python",
    packages={"flink-partition-bridge": "0.1.0", "boto3": "1.44.8", "py4j": "0.10.9.9", "pyarrow": "16.1.0"},
    protocol=1,
)


def test_this_interpreter_will_do() -> None:
    """The one that the tests run in has all that a writer needs, or no test of a writer would pass."""
    found = look_at(sys.executable, os.environ)
    assert judge_interpreter(found, "0.1.0").state is State.OK, found
    assert judge_packages(found, minima()).state is State.OK, found


def test_a_program_that_is_not_there_or_is_no_python_is_a_failure(tmp_path: Path) -> None:
    """The way out is the option's name."""
    script = tmp_path / "python"
    script.write_text("#!/bin/sh\necho broken >&2\nexit 3\n")
    script.chmod(0o755)
    for name, words in ((str(tmp_path / "nothing"), "No such file"), (str(script), "broken")):
        judged = judge_interpreter(look_at(name, os.environ), "0.1.0")
        assert judged.state is State.FAIL
        assert words in judged.found
        assert "python.executable" in judged.remedy


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"version": "3.9.2"}, "too old"),
        ({"packages": {}, "protocol": None}, "has no flink-partition-bridge"),
        ({"packages": {"flink-partition-bridge": "0.0.9"}}, "has flink-partition-bridge 0.0.9, and the jar is of 0.1.0"),
        ({"protocol": 7}, "and the jar is of 0.1.0"),
    ],
)
def test_an_interpreter_that_cannot_run_a_writer_is_a_failure(changes: dict[str, object], words: str) -> None:
    """Too old, without the package, or with that of another release."""
    judged = judge_interpreter(Interpreter(**{**vars(WHOLE), **changes}), "0.1.0")
    assert judged.state is State.FAIL
    assert words in judged.found


def test_libraries_must_be_there_new_enough_and_importable() -> None:
    """Each fault names the library and how to get it."""
    least = {"boto3": "1.36", "pyarrow": "16.1"}
    assert judge_packages(WHOLE, least).state is State.OK
    for version, words in ((None, "pyarrow isn't installed"), ("15.0.2", "pyarrow 15.0.2 is too old"), ("9.0", "too old")):
        there = {name: each for name, each in (WHOLE.packages or {}).items() if name != "pyarrow"}
        judged = judge_packages(
            Interpreter(**{**vars(WHOLE), "packages": there | ({"pyarrow": version} if version else {})}), least
        )
        assert judged.state is State.FAIL, version
        assert words in judged.found
        assert 'pip install "pyarrow>=16.1"' in judged.remedy
    broken = judge_packages(Interpreter(**{**vars(WHOLE), "error": "ImportError: libarrow.so"}), least)
    assert (broken.state, broken.found) == (State.FAIL, "ImportError: libarrow.so")


def test_without_the_package_its_libraries_are_not_another_fault() -> None:
    """They come with it."""
    assert judge_packages(Interpreter(**{**vars(WHOLE), "packages": {}, "protocol": None}), {"boto3": "1"}).state is State.SKIP


def test_what_a_writer_needs_is_what_the_package_declares() -> None:
    """Not what the command line needs besides."""
    assert set(minima()) == {"boto3", "py4j", "pyarrow"}
