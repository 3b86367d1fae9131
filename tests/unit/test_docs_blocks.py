"""Code blocks of README.md, CONTRIBUTING.md and docs/ do what they're shown for: checked, each in the way of its language.

SQL is planned by Flink: tests/integration/test_docs_sql.py. Blocks of `text` are outputs, which other tests compare.
"""

import json
import re
import sys
from pathlib import Path

import pytest
import typer
from ruamel.yaml import YAML

from partition_bridge.cli import app
from tests.support.flink import ROOT
from tests.support.pages import CodeBlock, code_blocks

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CHECKED = ("sql", "sh", "python", "json", "yaml", "toml")
EXEMPT = {
    (
        "docs/protocol.md",
        "json",
        1,
    ): "comments stand beside the fields; tests/unit/test_bootstrap.py and BootstrapTest read real ones",
    ("docs/protocol.md", "json", 2): "as above, of the metastore's process: tests/unit/metastore/test_serve.py",
    (
        "docs/getting-started.md",
        "java",
        1,
    ): "a piece of a program whose whole is examples/datastream.py and PartitionedFiles' own tests",
}
"""Page, language and place among the page's blocks of that language, with the reason."""

BLOCKS = [each for each in code_blocks() if each.name not in EXEMPT]
COMMANDS = typer.main.get_command(app)
OTHERS = ("pip", "export", "keytool")
"""Programs that aren't ours to check."""

TARGETS = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def of(language: str) -> list[object]:
    """Parameters of a test: each block of the language by its page and place."""
    return [pytest.param(each, id=f"{each.page}-{each.number}") for each in BLOCKS if each.language == language]


def commands_in(block: CodeBlock) -> list[list[str]]:
    """The words of each line, without comments and without variables before the command."""
    lines = [re.sub(r"(^|\s)#.*", "", line).split() for line in block.content.splitlines()]
    return [words for words in ([each for each in line if not re.match(r"[A-Z_]+=", each)] for line in lines) if words]


def test_every_block_is_checked_or_exempt_with_a_reason() -> None:
    """At most five, and none that isn't there any more."""
    names = {each.name for each in code_blocks()}
    unknown = {each.language for each in BLOCKS} - set(CHECKED)
    assert not unknown, f"no test looks at blocks of {unknown}"
    assert set(EXEMPT) <= names, "an exemption without a block"
    assert len(EXEMPT) <= 5
    assert len(BLOCKS) > 20, "the blocks are found at all"


@pytest.mark.parametrize("block", of("sh"))
def test_a_shell_line_names_what_there_is(block: CodeBlock) -> None:
    """Commands of the bridge with their options, targets of make, files of the repository."""
    seen = 0
    for words in commands_in(block):
        if "partition-bridge" in words:
            name, *arguments = words[words.index("partition-bridge") + 1 :]
            command = COMMANDS.commands[name]  # type: ignore[attr-defined]  # a group has them
            command.make_parser(typer.Context(command)).parse_args(list(arguments))
        elif words[0] == "make":
            assert words[1] in TARGETS, f"the Makefile has no {words[1]}"
        elif words[0] == "docker":
            assert (ROOT / words[words.index("--file") + 1]).is_file()
        else:
            assert words[0] in OTHERS or (ROOT / words[0]).is_file(), f"what is {words[0]}?"
        seen += 1
    assert seen, "the block has lines"


@pytest.mark.parametrize("block", of("python"))
def test_python_runs(block: CodeBlock) -> None:
    """What it imports is there, and its definitions are carried out."""
    exec(compile(block.content, block.page, "exec"), {"__name__": "shown"})


@pytest.mark.parametrize("block", [*of("json"), *of("yaml"), *of("toml")])
def test_data_can_be_read(block: CodeBlock) -> None:
    """By a parser of its language."""
    read = {"json": json.loads, "yaml": YAML(typ="safe").load, "toml": tomllib.loads}[block.language]
    assert read(block.content), "there is something in it"


def test_the_shown_policy_is_the_table_of_permissions() -> None:
    """Of docs/operations.md: a stream's policy has what the table says that streams and `orphans` need."""
    page = (ROOT / "docs" / "operations.md").read_text()
    (policy,) = (json.loads(each.content) for each in BLOCKS if each.page == "docs/operations.md" and each.language == "json")
    allowed = {action for statement in policy["Statement"] for action in statement["Action"]}
    listed = {action for row in re.findall(r"^\| (`s3:.*?) \|", page, re.MULTILINE) for action in re.findall(r"`(s3:\w+)`", row)}
    only_some = {
        "s3:DeleteObject",
        "s3:GetLifecycleConfiguration",
        "s3:GetBucketVersioning",
        "s3:GetBucketObjectLockConfiguration",
    }
    assert allowed == listed - only_some


def test_links_to_files_of_the_repository_lead_somewhere() -> None:
    """Pages point to examples beside docs/, which the site's builder doesn't look at."""
    for page in sorted((ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\((\.\./[^)#]+)\)", page.read_text()):
            assert Path(page.parent / target).exists(), f"{page.name} links to {target}, which isn't there"
