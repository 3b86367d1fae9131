"""Errors, in one tree by what the caller does next.

    BridgeError
    ├── Retry                 kind "retry": nothing is known to be wrong with the job; a restart may do
    │   └── StoreUnavailable      no clear answer from the store after the bounded retries
    ├── Fail                  kind "fail": a restart meets the same; a person must look
    │   ├── ProtocolViolation     the other side of the socket breaks docs/protocol.md
    │   ├── EntryRefused          state bytes that aren't a version 1 entry (I7)
    │   ├── WrongState            an event that the file's state doesn't allow
    │   ├── NoSuchUpload          the store doesn't know the upload id
    │   ├── PreconditionFailed    there is an object under the key already
    │   ├── PartsRefused          the store refuses the list of parts
    │   ├── UploadMissing         neither the upload of a pending file nor its object is there
    │   └── ForeignObject         another object lies under the key of a pending file (I10)
    ├── Configuration         kind "configuration": change an option, a permission, an installation
    └── OutcomeUnknown        kind "unknown-outcome": completed or not can't be told; a restart reads it back

``kind`` is part of the protocol (control call ``failed``). Messages never hold a secret (I12).
"""

from __future__ import annotations

from typing import ClassVar


class BridgeError(Exception):
    """Base of all errors of the bridge. ``kind`` says what to do next."""

    kind: ClassVar[str] = "fail"


class Retry(BridgeError):
    """Nothing is known to be wrong with the job: a restart may do."""

    kind = "retry"


class StoreUnavailable(Retry):
    """The store gave no clear answer (connection, timeout, throttling, 5xx) after all retries."""


class Fail(BridgeError):
    """A restart would meet the same: a person must look."""

    kind = "fail"


class ProtocolViolation(Fail):
    """A frame or call that docs/protocol.md doesn't allow."""


class EntryRefused(Fail):
    """State bytes that aren't a valid entry (I7), or an entry that may not be written."""


class WrongState(Fail):
    """An event came to a file in a state that doesn't allow it."""


class NoSuchUpload(Fail):
    """The store doesn't know the upload: completed before, aborted, expired, or never created."""


class PreconditionFailed(Fail):
    """``If-None-Match: *`` was refused: there is an object under the key."""


class PartsRefused(Fail):
    """The store refuses the parts: too small, in wrong order, or not the ones it holds."""


class UploadMissing(Fail):
    """Neither the upload of a pending file nor its object is there: its rows are lost to the store."""


class ForeignObject(Fail):
    """Under the key of a pending file lies an object that isn't that file (I10: never overwritten)."""


class Configuration(BridgeError):
    """An option, permission or installation must be changed first."""

    kind = "configuration"


class OutcomeUnknown(BridgeError):
    """Whether the object became visible can't be told now; a restart reads it back (I3)."""

    kind = "unknown-outcome"
