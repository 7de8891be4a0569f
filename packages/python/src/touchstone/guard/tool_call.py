"""Tool calls, decisions about them, and their JSON form."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import math
import os
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class ToolCall:
    """A tool call that is about to be made."""

    tool: str
    #: Policy conditions can refer to these, for example as `args.amount`. Never stored.
    arguments: Mapping[str, Any] | None = None
    #: The card action the call performs; the tool's name by default.
    action: str | None = None
    #: The agent's own words on why it makes the call, shown to the people who approve it.
    justification: str | None = None
    #: The model's reasoning before the call. Analysed as part of a checkpoint and not stored.
    thinking: str | None = None
    session_id: str | None = None
    transaction_id: str | None = None
    #: From an earlier refusal, after a person has approved it.
    escalation_id: str | None = None


@dataclass(frozen=True)
class Verdict:
    """The decision about a call and where it came from."""

    #: allow, warn, escalate or block.
    decision: str
    #: service, or none if no decision was available and the fallback applies.
    source: str
    reasons: list[dict[str, Any]] = field(default_factory=list)
    #: The service keeps a receipt under this id.
    decision_id: str | None = None
    escalation_id: str | None = None
    #: Messages of the service for the agent, each delivered once.
    notices: list[dict[str, Any]] = field(default_factory=list)

    @property
    def is_allowed(self) -> bool:
        return self.decision in ("allow", "warn")


def to_json_object(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as JSON. Raises a TypeError for values without a JSON form.

    A policy cannot judge what it does not see, so nothing is left out silently.
    """
    converted = to_json_value(dict(arguments))
    assert isinstance(converted, dict)
    return converted


def to_json_value(value: Any) -> Any:
    try:
        return _convert(value)
    except RecursionError:
        raise TypeError("the arguments are circular or nested too deeply") from None


def _convert(value: Any) -> Any:
    if value is None or isinstance(value, (bool, str, int)):
        return value.value if isinstance(value, enum.Enum) else value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise TypeError(f"{value} has no JSON form")
        return value
    if isinstance(value, Mapping):
        return {_key(key): _convert(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_convert(item) for item in value]
    if isinstance(value, enum.Enum):
        return _convert(value.value)
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (uuid.UUID, decimal.Decimal)):
        return str(value)
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    return _convert_object(value)


def _convert_object(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: _convert(getattr(value, one.name)) for one in dataclasses.fields(value)}
    # Models of Pydantic, which frameworks commonly pass to tools.
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        return _convert(dump(mode="json"))
    raise TypeError(
        f"a {type(value).__name__} has no JSON form: choose the arguments with arguments_of"
    )


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise TypeError("the keys of arguments must be strings")
    return key
