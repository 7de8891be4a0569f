"""The records of a call: its trace, and the checkpoint of one or several calls."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .evidence_text import NAME_MAX, TEXT_MAX, has_text, line_of, sanitise, sanitise_arguments
from .gathering import GatheredCall, Gathering
from .tool_call import ToolCall, Verdict

_REASONING_MAX = 10_000
_ACTIONS_MAX = 50


@dataclass(frozen=True, eq=False)
class Evidence:
    """A record that waits to be sent. The ids are fixed, so that sending is idempotent."""

    #: The tools that it is about.
    tools: list[str]
    trace: dict[str, Any] | None
    checkpoint: dict[str, Any] | None


@dataclass(frozen=True)
class CallRecord:
    #: None for a key that is bound to an agent: the service adds it.
    agent_id: str | None
    session_id: str
    trace_id: str
    call: ToolCall
    verdict: Verdict
    #: Decisions that `verdict` replaced, because a person was asked first.
    replaced_ids: list[str]
    #: The decision of a person, if one was asked and has decided: approved or denied.
    approval: str | None
    #: succeeded, failed or refused.
    outcome: str
    #: Values declared on the card that the agent applied.
    values: list[str]
    record_arguments: bool
    at: datetime.datetime


def gathered_call_of(record: CallRecord) -> GatheredCall:
    call, verdict = record.call, record.verdict
    own = [] if verdict.decision_id is None else [verdict.decision_id]
    words = (call.justification, call.thinking)
    return GatheredCall(
        trace_id=record.trace_id,
        tool=sanitise(call.tool, NAME_MAX),
        action=_action_of(call),
        line=line_of(call.tool, call.arguments),
        thinking=[
            sanitise(text, TEXT_MAX) for text in words if text is not None and has_text(text)
        ],
        decision_ids=[*record.replaced_ids, *own],
        is_urgent=verdict.escalation_id is not None or not verdict.is_allowed,
        at=record.at,
    )


def agent_field(agent_id: str | None) -> dict[str, Any]:
    return {} if agent_id is None else {"agent_id": agent_id}


def checkpoint_of(agent_id: str | None, gathering: Gathering) -> dict[str, Any]:
    """Refers to the newest trace: a refused call is always the last one gathered."""
    checkpoint: dict[str, Any] = {
        **agent_field(agent_id),
        "checkpoint_id": gathering.checkpoint_id,
        "trace_id": gathering.newest.trace_id,
        "session_id": gathering.session_id,
        "timestamp": to_wire_time(gathering.newest.at),
        "output": sanitise(gathering.output, TEXT_MAX),
        "actions": _distinct([call.action for call in gathering.calls]),
    }
    if gathering.thinking:
        checkpoint["thinking"] = sanitise(gathering.thinking, TEXT_MAX)
    if gathering.decision_ids:
        checkpoint["decision_ids"] = gathering.decision_ids
    return checkpoint


def trace_of(record: CallRecord, checkpoint_id: str) -> dict[str, Any]:
    """Names the checkpoint that the call belongs to."""
    call, verdict = record.call, record.verdict
    is_executed = record.outcome != "refused"
    reasons = "; ".join(str(one.get("message")) for one in verdict.reasons)
    tool = sanitise(call.tool, NAME_MAX)
    refusal = "escalate" if verdict.decision == "escalate" else "deny"
    action: dict[str, Any] = {
        "type": "execute" if is_executed else refusal,
        "name": _action_of(call),
        # A call that was not executed cannot have exceeded a bound.
        "category": "bounded" if is_executed else "escalation_trigger",
    }
    if record.record_arguments and call.arguments is not None:
        action["parameters"] = sanitise_arguments(call.arguments)
    escalation: dict[str, Any] = {
        "evaluated": True,
        "required": verdict.escalation_id is not None,
        "reason": reasons or "no escalation required",
    }
    if verdict.escalation_id is not None:
        escalation["escalation_id"] = verdict.escalation_id
        escalation["escalation_status"] = record.approval or "pending"
    trace: dict[str, Any] = {
        **agent_field(record.agent_id),
        "trace_id": record.trace_id,
        "timestamp": to_wire_time(record.at),
        "action": action,
        "decision": {
            "selected": tool,
            "selection_reasoning": _first_text(
                call.thinking, call.justification, reasons, f"{call.tool} is allowed"
            ),
            "values_applied": record.values,
        },
        "escalation": escalation,
        "context": {
            "session_id": record.session_id,
            "metadata": {
                "integrity_checkpoint_id": checkpoint_id,
                "decision_id": verdict.decision_id,
                "decided_by": verdict.source,
                "outcome": record.outcome,
            },
        },
        # The gateway already evaluated a refused call against the policy.
        "tools": [tool] if is_executed else [],
    }
    if verdict.decision_id is not None:
        trace["decision_id"] = verdict.decision_id
    return trace


def with_actions(evidence: Evidence, actions_of: Mapping[str, list[str]]) -> Evidence:
    """With the card's action names in place of tool names, where a tool has some."""

    def named(name: str) -> list[str]:
        return actions_of.get(name) or [name]

    trace, checkpoint = evidence.trace, evidence.checkpoint
    if trace is not None:
        name = ", ".join(named(trace["action"]["name"]))[:NAME_MAX]
        trace = {**trace, "action": {**trace["action"], "name": name}}
    if checkpoint is not None:
        actions = [one for action in checkpoint["actions"] for one in named(action)]
        checkpoint = {**checkpoint, "actions": _distinct(actions)}
    return Evidence(evidence.tools, trace, checkpoint)


def tools_without_action(evidence: Evidence) -> list[str]:
    """The tools whose name stands in place of a card action."""
    names = set(evidence.checkpoint["actions"] if evidence.checkpoint else [])
    if evidence.trace is not None:
        names.add(evidence.trace["action"]["name"])
    return [tool for tool in dict.fromkeys(evidence.tools) if tool in names]


def to_wire_time(at: datetime.datetime) -> str:
    utc = at.astimezone(datetime.timezone.utc)
    return utc.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _distinct(actions: list[str]) -> list[str]:
    return list(dict.fromkeys(actions))[:_ACTIONS_MAX]


def _action_of(call: ToolCall) -> str:
    return sanitise(call.tool if call.action is None else call.action, NAME_MAX)


def _first_text(*texts: str | None) -> str:
    chosen = next((text for text in texts if text is not None and has_text(text)), "")
    return sanitise(chosen, _REASONING_MAX)
