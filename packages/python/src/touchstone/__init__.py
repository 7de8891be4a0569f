"""Touchstone for Python: decisions before tool calls, evidence afterwards, and offline
verification.
"""

from ._http import Response
from .client import AsyncTouchstone, Touchstone
from .errors import (
    ApiError,
    DeadlineExceeded,
    GuardRefusal,
    NetworkError,
    TouchstoneError,
    WebhookError,
)
from .gate import GateOptions, GateOutcome
from .guard import AsyncGuard, Guard, GuardOptions, ToolCall, Verdict, call_context
from .webhooks import VerifiedWebhook, verify_webhook

__version__ = "0.1.0"

__all__ = [
    "ApiError",
    "AsyncGuard",
    "AsyncTouchstone",
    "DeadlineExceeded",
    "GateOptions",
    "GateOutcome",
    "Guard",
    "GuardOptions",
    "GuardRefusal",
    "NetworkError",
    "Response",
    "ToolCall",
    "Touchstone",
    "TouchstoneError",
    "VerifiedWebhook",
    "Verdict",
    "WebhookError",
    "call_context",
    "verify_webhook",
]
