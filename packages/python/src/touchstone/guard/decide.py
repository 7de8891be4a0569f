"""Decisions about calls: by the service, after an approval, or by the fallback."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .._core import Call, Core
from ..errors import ApiError, DeadlineExceeded, NetworkError, TouchstoneError
from .evidence import agent_field
from .evidence_text import has_text, sanitise
from .tool_call import ToolCall, Verdict

#: The longest justification of a call (spec: decisions §4).
_JUSTIFICATION_MAX = 2_000


class Unavailable(TouchstoneError):
    """The service could not be reached or failed, so the fallback has to decide."""


@dataclass(frozen=True)
class DecisionSource:
    core: Core
    #: None for a key that is bound to an agent.
    agent_id: str | None
    timeout: float
    #: Seconds to wait for a person in total; None: not at all.
    wait_for_approval: float | None
    poll_seconds: float


@dataclass(frozen=True)
class Decided:
    verdict: Verdict
    #: approved or denied, if a person was asked and has decided.
    approval: str | None = None
    cause: Exception | None = None


async def decide(
    source: DecisionSource, call: ToolCall, replaced: Callable[[Verdict], None]
) -> Decided:
    """Raises Unavailable if the service does not decide, and the ApiError if the request was wrong.

    `replaced` is called with a decision that a later one replaces.
    """
    verdict = await _ask(source, call)
    escalation_id = verdict.escalation_id
    # The service allowed a call that names an escalation, so a person has approved it.
    if escalation_id is not None and verdict.is_allowed:
        return Decided(verdict, "approved")
    if verdict.decision != "escalate" or escalation_id is None or source.wait_for_approval is None:
        return Decided(verdict)
    approval = await _await_approval(source, escalation_id, source.wait_for_approval)
    if approval == "pending":
        return Decided(verdict)
    if approval == "rejected":
        return Decided(verdict, "denied")
    replaced(verdict)
    approved = ToolCall(**{**vars(call), "escalation_id": escalation_id})
    return Decided(await _ask(source, approved), "approved")


async def _ask(source: DecisionSource, call: ToolCall) -> Verdict:
    body = decision_body(source.agent_id, call)
    try:
        answer = await source.core.request(
            "POST", "/v1/gateway/decide", Call(body=body, timeout=source.timeout)
        )
        return _to_verdict(answer)
    except ApiError as error:
        contained = _from_containment(error)
        if contained is not None:
            return contained
        # The key or the request is wrong, so the fallback must not hide it.
        if error.status < 500 and error.status != 429:
            raise
        raise Unavailable("The service is unavailable.") from error
    except (NetworkError, DeadlineExceeded) as error:
        raise Unavailable("The service is unavailable.") from error


def decision_body(agent_id: str | None, call: ToolCall) -> dict[str, Any]:
    body: dict[str, Any] = {**agent_field(agent_id), "tool": call.tool}
    if call.arguments is not None:
        body["arguments"] = call.arguments
    for name in ("session_id", "transaction_id", "escalation_id"):
        value = getattr(call, name)
        if value is not None:
            body[name] = value
    if call.justification is not None and has_text(call.justification):
        body["justification"] = sanitise(call.justification, _JUSTIFICATION_MAX)
    return body


def _to_verdict(answer: Any) -> Verdict:
    try:
        return Verdict(
            decision=answer["decision"],
            source="service",
            reasons=answer["reasons"],
            decision_id=answer["decision_id"],
            escalation_id=answer["escalation_id"],
            notices=answer["notices"],
        )
    except (KeyError, TypeError) as error:
        # A proxy, perhaps. No answer that lacks a decision may let a call through.
        raise Unavailable("The answer is not a decision.") from error


def _from_containment(error: ApiError) -> Verdict | None:
    """For a paused or killed agent the service answers 403 with a decision in the body."""
    body = error.body if isinstance(error.body, dict) else {}
    if error.status != 403 or body.get("type") != "containment_error":
        return None
    decision_id = body.get("decision_id")
    return Verdict(
        decision="block",
        source="service",
        reasons=[{"code": str(body.get("reason")), "message": error.message}],
        decision_id=decision_id if isinstance(decision_id, str) else None,
    )


async def _await_approval(source: DecisionSource, escalation_id: str, seconds: float) -> str:
    """Polls until a person decides or the time runs out. The key needs the scope `read`."""
    deadline = time.monotonic() + seconds
    path = "/v1/escalations/{escalation_id}"
    while True:
        call = Call(params={"escalation_id": escalation_id})
        status = (await source.core.request("GET", path, call))["status"]
        if status == "approved":
            return "approved"
        if status != "pending":
            return "rejected"
        if time.monotonic() + source.poll_seconds > deadline:
            return "pending"
        await source.core.io.sleep(source.poll_seconds)
