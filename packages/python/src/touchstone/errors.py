"""The errors of this package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class TouchstoneError(Exception):
    """The base of all errors of this package."""


class NetworkError(TouchstoneError, ConnectionError):
    """The service could not be reached, or its answer was not HTTP."""


class DeadlineExceeded(TouchstoneError, TimeoutError):
    """The service did not answer in time, retries included."""


class ApiError(TouchstoneError):
    """An error response (4xx or 5xx) from the service."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        request_id: str | None = None,
        details: Sequence[dict[str, Any]] = (),
        retry_after: float | None = None,
        body: Any = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        #: A stable error code such as `rate_limited`; the API reference lists them.
        self.code = code
        self.message = message
        #: Identifies the request in the service's log.
        self.request_id = request_id
        self.details = list(details)
        #: Seconds to wait before a retry, if the response has a Retry-After header.
        self.retry_after = retry_after
        #: The whole body, if it was JSON.
        self.body = body


class WebhookError(TouchstoneError, ValueError):
    """A delivery that must not be trusted. Answer 400 or 401 and ignore the body."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        #: unsigned, expired, forged or unreadable.
        self.code = code


class GuardRefusal(TouchstoneError):
    """The tool was not called.

    The message can be shown to the model: it says why in whole sentences.
    """

    def __init__(
        self, code: str, tool: str, reasons: Sequence[dict[str, Any]], escalation_id: str | None
    ) -> None:
        explanation = "; ".join(dict.fromkeys(str(one.get("message")) for one in reasons))
        end = f". {explanation}" if explanation else "."
        super().__init__(f"{tool} was not called: {_SUMMARIES[code]}{end}")
        #: blocked, escalated, rejected, unavailable or evidence_full.
        self.code = code
        self.tool = tool
        self.reasons = list(reasons)
        #: Pass this as `escalation_id` when you repeat the call after it was approved.
        self.escalation_id = escalation_id


_SUMMARIES = {
    "blocked": "it is not allowed",
    "escalated": "a person has to approve it first",
    "rejected": "it was not approved",
    "unavailable": "the service that decides could not be reached",
    "evidence_full": "records of earlier calls could not be sent yet",
}
