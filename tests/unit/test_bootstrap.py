"""The start message: complete or refused, and its secrets stay out of sight (I12)."""

import json

import pytest

from partition_bridge import bootstrap
from partition_bridge.errors import Configuration
from tests.support.writers import settings, start_message

SECRET = "hush-hush"


def test_secrets_are_not_shown() -> None:
    """Printing the settings, as a traceback may do, shows no key and no token."""
    store = {
        **start_message()["store"],
        "secret_key": SECRET,
        "session_token": SECRET,
        "aws_environment": {"AWS_SECRET_ACCESS_KEY": SECRET},
    }
    given = settings(store=store, token=SECRET)
    assert SECRET not in repr(given)
    assert set(given.secrets()) == {SECRET}, "and each is known, to be cut out of messages"


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"protocol": 2}, "protocol"),
        ({"surprise": 1}, "surprise"),
        ({"part_size": 1 << 20}, "sink.upload.part-size"),
        ({"memory": 8 << 20}, "sink.writer.memory"),
        ({"checksum": "md5"}, "sink.upload.checksum"),
        ({"missing_upload": "maybe"}, "sink.restore.missing-upload"),
        ({"commit_concurrency": 0}, "commit_concurrency"),
        ({"subtask": True}, "subtask"),
        ({"encoder": "both"}, "sink.writer.encoder"),
        ({"compression": "lzma"}, "sink.file.compression"),
        ({"compression": "gzip"}, "parquet.compression"),
        ({"encoder": "host"}, "schema"),
        ({"encoder": "host", "schema": "columns"}, "schema"),
        ({"schema": "0123456789abcdef"}, "schema"),
        ({"socket": None}, "socket"),
        ({"store": {}}, "store"),
    ],
    ids=str,
)
def test_wrong_start_message_is_refused_by_name(change: dict, word: str) -> None:
    """What is wrong is named by its option where it has one."""
    with pytest.raises(Configuration, match=word):
        settings(**change)


def test_half_a_key_pair_is_refused() -> None:
    """An access key without its secret would silently use other credentials."""
    store = {**start_message()["store"], "secret_key": None}
    with pytest.raises(Configuration, match=r"s3\.secret-key"):
        settings(store=store)


@pytest.mark.parametrize("line", ["", "{", "[]", json.dumps(start_message())[:-1]])
def test_broken_line_is_refused_without_being_shown(line: str) -> None:
    """A line that was cut holds secrets: the message says nothing of it."""
    with pytest.raises(Configuration) as refused:
        bootstrap.parse(line)
    assert "secret_key" not in str(refused.value)
