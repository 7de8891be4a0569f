"""Decisions before tool calls, and evidence of the calls afterwards."""

from .admission import Admission, GuardOptions
from .evidence import Evidence
from .guard import AsyncGuard, Guard
from .recorder import LostEvidence, LostOutcome
from .tool_call import ToolCall, Verdict
from .tools import call_context

__all__ = [
    "Admission",
    "AsyncGuard",
    "Evidence",
    "Guard",
    "GuardOptions",
    "LostEvidence",
    "LostOutcome",
    "ToolCall",
    "Verdict",
    "call_context",
]
