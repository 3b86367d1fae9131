"""The proxy's own side, loaded by mitmdump: applies the script in force and logs each firing.

Before: the server never sees the request. After: the server has done it, and only its answer is lost, late or wrong.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections import Counter
from pathlib import Path

from mitmproxy import http

from tests.support.faultproxy import answers, flavours
from tests.support.faultproxy.answers import Answer
from tests.support.faultproxy.script import Rule, Script, call_of

FOLDER = Path(os.environ["FAULTPROXY_FOLDER"])
STALL_SECONDS = 8.0
"""Longer than the read timeout that the tests give the writer."""
SLOW_SECONDS = 1.0


class Faults:
    """One script at a time; the file is replaced as a whole, so a half-written one is never read."""

    def __init__(self) -> None:
        self._stamp = 0
        self._script = Script("")
        self._counts: Counter[str] = Counter()
        self._memory = flavours.Memory()

    async def request(self, flow: http.HTTPFlow) -> None:
        """Before the server sees it."""
        self._load()
        facts = _facts(flow.request)
        same = f"{facts.call} {flow.request.path}"
        self._counts.update((facts.call, same))
        count = self._counts[facts.call]
        flow.metadata["facts"] = facts
        if not flow.request.headers.get("amz-sdk-request", "attempt=1").startswith("attempt=1"):
            with (FOLDER / "repeats.jsonl").open("a") as log:
                log.write(json.dumps({"case": self._script.case, "call": facts.call}) + "\n")
        rule = next((each for each in self._script.rules if each.strikes(facts.call, count, self._counts[same])), None)
        if rule is not None and rule.side == "before":
            self._log(flow, rule, count)
            await _inflict(flow, rule)
            return
        if rule is not None:
            flow.metadata["rule"] = (rule, count)
        for refuse in flavours.FLAVOURS.get(self._script.flavour, ()):
            answer = refuse(facts, self._memory)
            if answer is not None:
                self._log(flow, Rule(facts.call, f"flavour {self._script.flavour}", "before"), count)
                flow.response = _response(answer)
                return
        parts = len(flavours.sizes_of(facts, self._memory))
        if self._script.flavour and parts >= flavours.TELLING:
            # That sizes were compared and nothing was refused is what some cases are there for.
            self._log(flow, Rule(facts.call, f"flavour {self._script.flavour} takes {parts} parts", "before"), count)

    async def response(self, flow: http.HTTPFlow) -> None:
        """After the server has answered; also called for the answers made above, which stay as they are."""
        assert flow.response is not None
        facts = flow.metadata["facts"]
        given = {name: value for name, value in flow.response.headers.items() if name.lower() != "content-length"}
        flavours.remember(facts, Answer(flow.response.status_code, flow.response.content or b"", given), self._memory)
        if "rule" in flow.metadata:
            rule, count = flow.metadata.pop("rule")
            self._log(flow, rule, count)
            await _inflict(flow, rule)

    def _load(self) -> None:
        path = FOLDER / "script.json"
        stamp = path.stat().st_mtime_ns
        if stamp != self._stamp:
            self._stamp = stamp
            self._script = Script.loads(path.read_text())
            self._counts.clear()

    def _log(self, flow: http.HTTPFlow, rule: Rule, count: int) -> None:
        answered = flow.response.headers.get("x-amz-request-id", "") if flow.response else ""
        line = {
            "case": self._script.case,
            "call": rule.call,
            "outcome": rule.outcome,
            "side": rule.side,
            "count": count,
            "path": flow.request.path,
            "request": flow.request.headers.get("amz-sdk-invocation-id", flow.id),
            "attempt": flow.request.headers.get("amz-sdk-request", ""),
            "answer": answered,
            "status": flow.response.status_code if flow.response else 0,
            "time": time.time(),
        }
        with (FOLDER / "firings.jsonl").open("a") as log:
            log.write(json.dumps(line) + "\n")


def _facts(request: http.Request) -> flavours.Request:
    query = dict(request.query)
    path = request.path.partition("?")[0]
    return flavours.Request(
        call=call_of(request.method, path, query),
        upload_id=query.get("uploadId", ""),
        number=int(query.get("partNumber", 0)),
        conditional="if-none-match" in request.headers,
        body=request.content or b"",
    )


async def _inflict(flow: http.HTTPFlow, rule: Rule) -> None:
    if rule.outcome in ("reset", "stall"):
        await asyncio.sleep(STALL_SECONDS if rule.outcome == "stall" else 0)
        if flow.killable:
            flow.kill()
    elif rule.outcome == "slow":
        await asyncio.sleep(SLOW_SECONDS)
    elif rule.outcome == "wrong-etag":
        assert flow.response is not None, "wrong-etag changes an answer: its side is after"
        flow.response.headers["etag"] = answers.WRONG_ETAG
    elif rule.outcome in answers.MADE:
        flow.response = _response(answers.MADE[rule.outcome](flow.request.content or b""))
    else:
        flow.response = _response(answers.ANSWERS[rule.outcome], head=flow.request.method == "HEAD")


def _response(answer: Answer, head: bool = False) -> http.Response:
    return http.Response.make(answer.status, b"" if head else answer.body, answer.headers)


addons = [Faults()]
