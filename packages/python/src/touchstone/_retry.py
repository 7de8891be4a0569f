"""Error responses, and when a request is sent again."""

from __future__ import annotations

import time
from email.utils import parsedate_to_datetime
from typing import Any

from ._http import Response
from .errors import ApiError, NetworkError
from .verify.json_value import parse_json

_BACKOFF_SECONDS_FIRST = 0.25
_BACKOFF_SECONDS_MAX = 8.0
#: If Retry-After is longer than this, the error is raised and the caller decides whether to wait.
_RETRY_AFTER_SECONDS_MAX = 60

#: By status, for bodies without a code.
_FALLBACK_CODES = {
    400: "invalid_request",
    401: "unauthorized",
    402: "feature_required",
    403: "forbidden",
    404: "not_found",
    409: "conflict",
    422: "validation_error",
    429: "rate_limited",
}


def retry_delay(error: Exception, attempt: int, jitter: float) -> float | None:
    """Seconds to wait before the next retry, or None if a retry is pointless.

    `jitter`, from 0 to 1, spreads out clients that failed at the same time.
    """
    backoff = jitter * min(_BACKOFF_SECONDS_MAX, _BACKOFF_SECONDS_FIRST * 2.0**attempt)
    if isinstance(error, NetworkError):
        return backoff
    if not isinstance(error, ApiError) or not _is_transient(error):
        return None
    retry_after = error.retry_after or 0
    if retry_after > _RETRY_AFTER_SECONDS_MAX:
        return None
    # The jitter also applies after Retry-After, or all waiting clients would return together.
    return retry_after + backoff


def _is_transient(error: ApiError) -> bool:
    # idempotency_in_progress means that the first attempt is still running.
    is_busy = error.code == "idempotency_in_progress"
    return error.status == 429 or error.status >= 500 or is_busy


def to_api_error(response: Response) -> ApiError:
    body = _read_json(response)
    fields = body if isinstance(body, dict) else {}
    error, message, details = (fields.get(name) for name in ("error", "message", "details"))
    code = _FALLBACK_CODES.get(response.status, "internal_error")
    if isinstance(error, str) and isinstance(message, str):
        code = error
    texts = [text for text in (message, error) if isinstance(text, str) and text]
    return ApiError(
        response.status,
        code,
        texts[0] if texts else f"The service answered {response.status}.",
        request_id=response.headers.get("x-request-id"),
        details=[one for one in details if isinstance(one, dict)]
        if isinstance(details, list)
        else [],
        retry_after=_parse_retry_after(response),
        body=body,
    )


def _read_json(response: Response) -> Any:
    try:
        return parse_json(response.body)
    except ValueError:
        return None


def _parse_retry_after(response: Response) -> float | None:
    """Seconds; the header may have seconds or a date."""
    text = response.headers.get("retry-after")
    if text is None:
        return None
    if text.isascii() and text.isdigit() and len(text) <= 10:
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None
