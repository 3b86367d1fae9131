"""Flink's two REST interfaces: the JobManager's and the SQL gateway's. JSON in, JSON out, errors with Flink's own text."""

import time
from types import TracebackType
from typing import TYPE_CHECKING, Any

import urllib3

from partition_bridge.sql_statements import statements_of

if TYPE_CHECKING:
    from typing_extensions import Self

Json = dict[str, Any]

TERMINAL = frozenset({"FINISHED", "CANCELED", "FAILED", "SUSPENDED"})


class RestFailed(Exception):
    """Flink refused a request or a job took a turn that its caller didn't ask for. The message carries Flink's text."""


class Rest:
    """One JSON endpoint. Connection errors pass through as urllib3's `HTTPError`."""

    def __init__(self, base: str) -> None:
        self.base = base
        self._pool = urllib3.PoolManager(retries=False, timeout=urllib3.Timeout(connect=5, read=60))

    def call(self, method: str, path: str, body: Json | None = None) -> Json:
        answer = self._pool.request(method, self.base + path, json=body)
        try:
            content = answer.json()
        except ValueError:
            content = {"errors": [answer.data.decode(errors="replace")]}
        if answer.status >= 400:
            raise RestFailed(f"{method} {path}: {answer.status}\n" + "\n".join(content.get("errors", [str(content)])))
        if not isinstance(content, dict):
            return {"list": content}
        return content

    def get(self, path: str) -> Json:
        return self.call("GET", path)

    def answers(self, path: str) -> bool:
        try:
            self.get(path)
        except (RestFailed, urllib3.exceptions.HTTPError):
            return False
        return True


class JobManager(Rest):
    """The JobManager's REST interface, as far as tests and the demo need it."""

    def taskmanagers(self) -> list[Json]:
        return list(self.get("/taskmanagers")["taskmanagers"])

    def free_slots(self) -> int:
        return sum(int(each["freeSlots"]) for each in self.taskmanagers())

    def jobs(self) -> list[Json]:
        return list(self.get("/jobs/overview")["jobs"])

    def job(self, job: str) -> Json:
        return self.get(f"/jobs/{job}")

    def state(self, job: str) -> str:
        return str(self.job(job)["state"])

    def running(self, job: str) -> bool:
        """The job runs and each of its tasks does too."""
        detail = self.job(job)
        return detail["state"] == "RUNNING" and all(each["status"] in ("RUNNING", "FINISHED") for each in detail["vertices"])

    def checkpoints(self, job: str) -> Json:
        return self.get(f"/jobs/{job}/checkpoints")

    def completed_checkpoints(self, job: str) -> int:
        return int(self.checkpoints(job)["counts"]["completed"])

    def exceptions(self, job: str) -> list[Json]:
        """Failures of the job, newest first: each with `exceptionName` and `stacktrace`."""
        return list(self.get(f"/jobs/{job}/exceptions?maxExceptions=1000")["exceptionHistory"]["entries"])

    def restarts(self, job: str) -> int:
        """How often the job, of one region, was restarted. Flink forgets failures after the sixteenth, but not this.

        Not its metric of that name: once the JobManager has asked a dead TaskManager for metrics, what it tells of them may be old for ever.
        """
        vertices = [str(each["id"]) for each in self.job(job)["vertices"]]
        return max(max(self.attempts(job, each)) for each in vertices)

    def attempts(self, job: str, vertex: str) -> set[int]:
        """How often the vertex's tasks were started again."""
        return {int(each["attempt"]) for each in self.get(f"/jobs/{job}/vertices/{vertex}")["subtasks"]}

    def accumulators(self, job: str) -> list[Json]:
        return list(self.get(f"/jobs/{job}/accumulators")["user-task-accumulators"])

    def metric(self, job: str, vertex: str, name: str) -> float:
        """Sum over subtasks of one metric; 0 where no subtask has reported it yet. `name` without the subtask's number."""
        found = self.get(f"/jobs/{job}/vertices/{vertex}/subtasks/metrics?get={name}&agg=sum")["list"]
        return float(found[0]["sum"]) if found else 0.0

    def backpressured(self, job: str, vertex: str) -> bool:
        """Whether the vertex waits for those behind it. Flink samples when asked: the first answer comes too early."""
        answer = self.get(f"/jobs/{job}/vertices/{vertex}/backpressure")
        return answer.get("backpressureLevel", "ok") != "ok"

    def metric_names(self, job: str, vertex: str) -> list[str]:
        return [str(each["id"]) for each in self.get(f"/jobs/{job}/vertices/{vertex}/metrics")["list"]]

    def cancel(self, job: str) -> None:
        self.call("PATCH", f"/jobs/{job}?mode=cancel")

    def trigger_checkpoint(self, job: str) -> str:
        """Ask for a checkpoint; the request's id."""
        return str(self.call("POST", f"/jobs/{job}/checkpoints", {"checkpointType": "CONFIGURED"})["request-id"])

    def checkpoint(self, job: str, request: str, timeout: float = 120) -> int:
        """Wait for a checkpoint that was asked for; its id."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            answer = self.get(f"/jobs/{job}/checkpoints/{request}")
            if answer["status"]["id"] == "COMPLETED":
                if "failureCause" in answer["operation"]:
                    raise RestFailed(f"checkpoint of {job} failed: {answer['operation']['failureCause']['stack-trace']}")
                return int(answer["operation"]["checkpointId"])
            time.sleep(0.05)
        raise RestFailed(f"checkpoint of {job} was not complete after {timeout:.0f} s")

    def savepoint(self, job: str, folder: str, timeout: float = 120) -> str:
        """Take a savepoint of a job that goes on; its path."""
        return self.savepoint_path(job, self.trigger_savepoint(job, folder), timeout)

    def trigger_savepoint(self, job: str, folder: str) -> str:
        """Ask for a savepoint of a job that goes on; the request's id."""
        trigger = self.call("POST", f"/jobs/{job}/savepoints", {"target-directory": folder, "cancel-job": False})
        return str(trigger["request-id"])

    def stop_with_savepoint(self, job: str, folder: str, drain: bool, timeout: float = 180) -> str:
        """Stop the job with a savepoint; its path. `drain` sends the end of event time through the job first."""
        return self.savepoint_path(job, self.trigger_stop(job, folder, drain), timeout)

    def trigger_stop(self, job: str, folder: str, drain: bool) -> str:
        """Ask for a stop with a savepoint; the request's id."""
        return str(self.call("POST", f"/jobs/{job}/stop", {"targetDirectory": folder, "drain": drain})["request-id"])

    def savepoint_path(self, job: str, request: str, timeout: float = 120) -> str:
        """Wait for a savepoint that was asked for; its path."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            answer = self.get(f"/jobs/{job}/savepoints/{request}")
            if answer["status"]["id"] == "COMPLETED":
                if "location" not in answer["operation"]:
                    raise RestFailed(f"savepoint of {job} failed: {answer['operation']['failure-cause']['stack-trace']}")
                return str(answer["operation"]["location"])
            time.sleep(0.2)
        raise RestFailed(f"savepoint of {job} was not complete after {timeout:.0f} s")

    def wait(self, job: str, states: frozenset[str] = TERMINAL, timeout: float = 120) -> str:
        """Wait for one of `states`. A job that ends in another one fails with its root cause, not by timeout."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            state = self.state(job)
            if state in states:
                return state
            if state in TERMINAL:
                raise RestFailed(f"job {job} ended as {state}, not {'/'.join(sorted(states))}:\n{self._cause(job)}")
            time.sleep(0.2)
        raise RestFailed(f"job {job} was not {'/'.join(sorted(states))} after {timeout:.0f} s:\n{self._cause(job)}")

    def _cause(self, job: str) -> str:
        failures = self.exceptions(job)
        return str(failures[0]["stacktrace"]) if failures else "no exception is recorded"


class SqlGateway(Rest):
    """One session of the SQL gateway, for as long as the `with` or until `close`. A statement that fails raises with the
    chain of causes.

    Settings, tables and views are the session's. A job that a session has begun goes on without it.
    """

    def __init__(self, base: str) -> None:
        super().__init__(base)
        self._session: str | None = None

    def close(self) -> None:
        """End the session, if a statement has begun it. The next statement begins a new one."""
        if self._session is not None:
            self.call("DELETE", f"/v1/sessions/{self._session}")
            self._session = None

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @property
    def session(self) -> str:
        if self._session is None:
            self._session = str(self.call("POST", "/v1/sessions", {})["sessionHandle"])
        return self._session

    def execute(self, statement: str, timeout: float = 300) -> list[list[Any]]:
        """Run one statement; the rows of its first page of results. An INSERT's row holds its job's id."""
        operation = self._run(statement, timeout)
        # The result of a failed operation is its error: Flink answers 500 with the stack trace.
        return _fields(self.get(f"{operation}/result/0?rowFormat=JSON"))

    def rows(self, query: str, timeout: float = 120) -> list[list[Any]]:
        """All rows of a bounded query."""
        operation = self._run(query, timeout)
        rows: list[list[Any]] = []
        page: str | None = f"{operation}/result/0?rowFormat=JSON"
        deadline = time.monotonic() + timeout
        while page and time.monotonic() < deadline:
            result = self.get(page)
            rows += _fields(result)
            if result["resultType"] == "NOT_READY":
                time.sleep(0.05)
            page = result.get("nextResultUri") if result["resultType"] != "EOS" else None
        if page:
            raise RestFailed(f"not all rows were there after {timeout:.0f} s: {query}")
        return rows

    def _run(self, statement: str, timeout: float) -> str:
        """Path of the statement's operation, once it has ended in one way or the other."""
        path = f"/v1/sessions/{self.session}"
        handle = self.call("POST", f"{path}/statements", {"statement": statement})["operationHandle"]
        operation = f"{path}/operations/{handle}"
        deadline = time.monotonic() + timeout
        while self.get(f"{operation}/status")["status"] not in ("FINISHED", "ERROR"):
            if time.monotonic() > deadline:
                raise RestFailed(f"the gateway was not through after {timeout:.0f} s with: {statement}")
            time.sleep(0.05)
        return operation

    def script(self, text: str) -> str | None:
        """Run the statements of a SQL file; the id of the last job that one of them began."""
        job: str | None = None
        for statement in statements_of(text):
            rows = self.execute(statement)
            if statement.upper().startswith(("INSERT", "EXECUTE STATEMENT SET")):
                job = str(rows[0][0])
        return job


def _fields(result: Json) -> list[list[Any]]:
    return [list(row["fields"]) for row in result.get("results", {}).get("data", [])]
