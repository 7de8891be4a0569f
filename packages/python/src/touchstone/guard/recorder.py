"""Sends evidence and outcomes of calls in the background, from one thread per guard."""

from __future__ import annotations

import atexit
import threading
import time
import uuid
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .._core import Call, Core
from .._io import reset_after_fork, run
from ..errors import ApiError
from .evidence import (
    CallRecord,
    Evidence,
    checkpoint_of,
    gathered_call_of,
    tools_without_action,
    trace_of,
    with_actions,
)
from .evidence_text import sanitise
from .gathering import Gatherer, Gathering
from .send_queue import SendQueue, log, tell

#: Largest batches of evidence (spec: interface, Limits) and of outcomes (spec: decisions §3).
_EVIDENCE_BATCH_MAX = 50
_OUTCOME_BATCH_MAX = 100
_OUTCOMES_MAX = 10_000
_SEND_SECONDS_MAX = 30.0
#: How long a process that ends waits for what is left.
_EXIT_SECONDS_MAX = 5.0
_ERROR_MAX = 500

_STATUS_OF = {"succeeded": "executed", "failed": "failed", "refused": "not_executed"}

_LOST_OUTCOMES = {
    "conflict": "The decision has another outcome, or is more than 24 hours old.",
    "not_found": "No such decision.",
}


@dataclass(frozen=True)
class LostEvidence:
    """Evidence that the service rejected, or that a full queue evicted."""

    evidence: Evidence
    reason: str


@dataclass(frozen=True)
class LostOutcome:
    """An outcome that the service did not accept, or that a full queue evicted."""

    decision_id: str
    reason: str


def warn_of_evidence(lost: LostEvidence) -> None:
    tools = ", ".join(lost.evidence.tools)
    log.warning("Evidence of calls of %s was lost: %s", tools, lost.reason)


def warn_of_outcome(lost: LostOutcome) -> None:
    log.warning("The outcome of decision %s was lost: %s", lost.decision_id, lost.reason)


@dataclass(frozen=True)
class RecorderOptions:
    #: Over blocking connections.
    core: Core
    agent_id: str | None
    evidence_max: int
    actions_of: Callable[[str], list[str]] | None
    on_evidence_lost: Callable[[LostEvidence], object]
    on_outcome_lost: Callable[[LostOutcome], object]
    on_delayed: Callable[[Exception], object]


class Recorder:
    def __init__(self, options: RecorderOptions) -> None:
        self._options = options
        self._send_seconds = _SEND_SECONDS_MAX
        self._gatherer = Gatherer(sessions_max=options.evidence_max // 2)
        self._evidence: SendQueue[Evidence] = SendQueue(
            most=options.evidence_max,
            batch_max=_EVIDENCE_BATCH_MAX,
            send=self._send_evidence,
            on_evicted=lambda one: self._lose(one, "The evidence queue was full."),
            on_delayed=options.on_delayed,
        )
        self._outcomes: SendQueue[dict[str, Any]] = SendQueue(
            most=_OUTCOMES_MAX,
            batch_max=_OUTCOME_BATCH_MAX,
            send=self._send_outcomes,
            on_evicted=lambda one: self._lose_outcome(one, "The outcome queue was full."),
            on_delayed=options.on_delayed,
        )
        self.after_fork()
        reset_after_fork(self)
        _recorders.add(self)

    def after_fork(self) -> None:
        """The parent sends what was waiting, and its thread does not exist here."""
        self._changed = threading.Condition(threading.Lock())
        self._thread: threading.Thread | None = None
        self._wakes_at = 0.0
        self._gatherer.held.clear()
        self._evidence.reset()
        self._outcomes.reset()

    @property
    def is_full(self) -> bool:
        """Counts the checkpoints being gathered, so that there is room for them when they complete.
        """
        return self._evidence_size() >= self._options.evidence_max

    def pending(self) -> int:
        """How many records and outcomes wait; the calls gathered in a session are one record."""
        return self._evidence_size() + len(self._outcomes)

    def record(self, record: CallRecord) -> None:
        call = gathered_call_of(record)
        with self._changed:
            checkpoint_id, complete = self._gatherer.add(
                call, record.session_id, f"ic-{uuid.uuid4()}", time.monotonic()
            )
        # A checkpoint goes with the trace of the call that completed it, as one record.
        own = next((one for one in complete if one.newest is call), None)
        for gathering in complete:
            if gathering is not own:
                self._add_checkpoint(gathering)
        trace = trace_of(record, checkpoint_id)
        checkpoint = None if own is None else checkpoint_of(self._options.agent_id, own)
        tools = [call.tool] if own is None else _tools_of(own)
        self._evidence.add(Evidence(tools, trace, checkpoint))
        self._wake()

    def report(
        self,
        decision_id: str,
        outcome: str,
        *,
        seconds: float | None = None,
        error: BaseException | None = None,
    ) -> None:
        """A repeated report of the same outcome has no effect."""
        report: dict[str, Any] = {"decision_id": decision_id, "status": _STATUS_OF[outcome]}
        if seconds is not None:
            report["duration_ms"] = round(seconds * 1000, 3)
        if error is not None:
            report["error"] = sanitise(_message_of(error), _ERROR_MAX)
        self._outcomes.add(report)
        self._wake()

    def end_session(self, session_id: str | None = None) -> None:
        """Completes the checkpoint of a session, or of all. It is sent in the background."""
        with self._changed:
            complete = self._gatherer.end(session_id)
        for gathering in complete:
            self._add_checkpoint(gathering)
        self._wake()

    def send(self) -> None:
        """Sends the evidence that waits; raises if something could not be sent."""
        self._evidence.flush()

    def flush(self) -> None:
        """Completes all checkpoints and sends everything; raises if evidence could not be sent."""
        self.end_session()
        try:
            self._outcomes.flush()
        except Exception:
            log.debug("Outcomes could not be sent yet.", exc_info=True)
        self._evidence.flush()

    def finish(self) -> None:
        """At the end of the process: as flush, within a few seconds and without errors."""
        self._send_seconds = _EXIT_SECONDS_MAX
        deadline = time.monotonic() + _EXIT_SECONDS_MAX
        with self._changed:
            complete = self._gatherer.end()
        for gathering in complete:
            self._add_checkpoint(gathering)
        for queue in (self._outcomes, self._evidence):
            left = deadline - time.monotonic()
            if len(queue) == 0 or left <= 0:
                continue
            self._send_seconds = left
            try:
                queue.flush(timeout=left)
            except Exception:
                log.debug("What waited could not be sent.", exc_info=True)
        if self.pending() > 0:
            log.warning("%d records of calls were not sent before the end.", self.pending())

    def _evidence_size(self) -> int:
        return len(self._evidence) + len(self._gatherer.held)

    def _add_checkpoint(self, gathering: Gathering) -> None:
        checkpoint = checkpoint_of(self._options.agent_id, gathering)
        self._evidence.add(Evidence(_tools_of(gathering), None, checkpoint))

    def _next_due(self) -> float | None:
        dues = (self._gatherer.due(), self._evidence.due(), self._outcomes.due())
        return min((due for due in dues if due is not None), default=None)

    def _wake(self) -> None:
        """Makes sure that a thread looks in time.

        It ends when there is nothing left to wait for.
        """
        with self._changed:
            due = self._next_due()
            if due is None:
                return
            if self._thread is None:
                name = "touchstone-recorder"
                self._thread = threading.Thread(target=self._work, name=name, daemon=True)
                self._thread.start()
            elif due < self._wakes_at:
                self._changed.notify()

    def _work(self) -> None:
        while True:
            with self._changed:
                due = self._next_due()
                if due is None:
                    self._thread = None
                    return
                self._wakes_at = due
                now = time.monotonic()
                if due > now:
                    self._changed.wait(due - now)
                    continue
                old = self._gatherer.take_old(now)
            for gathering in old:
                self._add_checkpoint(gathering)
            for queue in (self._outcomes, self._evidence):
                queue_due = queue.due()
                if queue_due is not None and queue_due <= now:
                    try:
                        queue.flush()
                    except Exception:
                        log.debug("A batch could not be sent yet.", exc_info=True)

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        call = Call(body=body, timeout=self._send_seconds)
        return run(self._options.core.request("POST", path, call))

    def _send_outcomes(self, batch: list[dict[str, Any]]) -> None:
        try:
            answer = self._post("/v1/decisions/outcomes", {"outcomes": batch})
        except ApiError as error:
            if not _is_permanent(error):
                raise
            for report in batch:
                self._lose_outcome(report, error.message)
            return
        for result in answer["results"]:
            reason = _LOST_OUTCOMES.get(result["status"])
            if reason is not None:
                self._lose_outcome(result, reason)

    def _send_evidence(self, batch: list[Evidence]) -> None:
        sending = _Sending(self._post, self._complete, self._lose)
        sending.send(batch)

    def _complete(self, evidence: Evidence) -> Evidence:
        actions_of = self._options.actions_of
        if actions_of is None:
            return evidence
        tools = tools_without_action(evidence)
        return with_actions(evidence, {tool: actions_of(tool) for tool in tools})

    def _lose(self, evidence: Evidence, reason: str) -> None:
        tell(self._options.on_evidence_lost, LostEvidence(evidence, reason))

    def _lose_outcome(self, report: dict[str, Any], reason: str) -> None:
        tell(self._options.on_outcome_lost, LostOutcome(report["decision_id"], reason))


@dataclass
class _Sending:
    """One batch of evidence.

    Reports a lost record once, even if trace and checkpoint are rejected.
    """

    post: Callable[[str, dict[str, Any]], Any]
    complete: Callable[[Evidence], Evidence]
    lose: Callable[[Evidence, str], None]
    lost: set[int] = field(default_factory=set)

    def send(self, batch: list[Evidence]) -> None:
        try:
            completed = [self.complete(one) for one in batch]
            # Traces first: a checkpoint refers to its trace and takes the kind of a violation from
            # it.
            for kind in ("trace", "checkpoint"):
                self._send_kind(kind, completed, batch)
        except ApiError as error:
            if not _is_permanent(error):
                raise
            # Bisect the batch, so that one invalid record does not fail the others.
            if len(batch) > 1 and error.status in (400, 413, 422):
                half = (len(batch) + 1) // 2
                self.send(batch[:half])
                self.send(batch[half:])
                return
            for one in batch:
                self._report(one, error.message)

    def _send_kind(self, kind: str, completed: list[Evidence], batch: list[Evidence]) -> None:
        # A record can consist of a trace alone or a checkpoint alone.
        bodies = [(getattr(done, kind), one) for done, one in zip(completed, batch)]
        sent = [(body, one) for body, one in bodies if body is not None]
        if not sent:
            return
        answer = self.post(f"/v1/{kind}s/batch", {f"{kind}s": [body for body, _ in sent]})
        for result in answer["results"]:
            if result["status"] == "rejected" and 0 <= result["index"] < len(sent):
                message = result.get("message") or "The service rejected the record."
                self._report(sent[result["index"]][1], message)

    def _report(self, evidence: Evidence, reason: str) -> None:
        if id(evidence) not in self.lost:
            self.lost.add(id(evidence))
            self.lose(evidence, reason)


def _is_permanent(error: ApiError) -> bool:
    """The service rejected the content.

    Key errors (401, 403) are retried, as a key can be fixed.
    """
    return error.status in (400, 404, 409, 413, 422)


def _message_of(error: BaseException) -> str:
    try:
        return str(error) or type(error).__name__
    except Exception:
        # The text of an exception is code of the tool.
        return type(error).__name__


def _tools_of(gathering: Gathering) -> list[str]:
    return list(dict.fromkeys(call.tool for call in gathering.calls))


_recorders: weakref.WeakSet[Recorder] = weakref.WeakSet()


@atexit.register
def _finish_all() -> None:
    for recorder in list(_recorders):
        recorder.finish()
