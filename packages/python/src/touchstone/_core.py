"""Requests with credentials, deadlines, retries and idempotency keys."""

from __future__ import annotations

import json
import random
import re
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from ._http import Request, Response
from ._io import Io
from ._keyless_posts import KEYLESS_POSTS
from ._retry import retry_delay, to_api_error
from .errors import ApiError, DeadlineExceeded, NetworkError
from .verify.json_value import parse_json

USER_AGENT = "touchstone-sdk-python/0.1.0"

#: The characters that encodeURIComponent of ECMAScript keeps.
_KEPT_IN_PATH = "!'()*~"


@dataclass(frozen=True)
class Call:
    """The options of a request."""

    params: Mapping[str, str | int] | None = None
    query: Mapping[str, Any] | None = None
    #: A JSON value; a string is sent as YAML, on paths that accept YAML.
    body: Any = None
    headers: Mapping[str, str] | None = None
    #: Replaces the generated key. Repeating a key replays the stored response for 24 hours.
    idempotency_key: str | None = None
    #: Seconds for the whole call, retries included.
    timeout: float | None = None


class Credentials:
    """The token of each request. Renewals are shared by concurrent requests."""

    def __init__(
        self,
        token: str | None,
        get_token: Callable[[], str | None] | None,
        on_unauthorised: Callable[[], str | None] | None,
    ) -> None:
        self._token = token
        self._get_token = get_token
        self._on_unauthorised = on_unauthorised
        self._lock = threading.Lock()

    @property
    def can_renew(self) -> bool:
        return self._on_unauthorised is not None

    def current(self) -> str | None:
        return self._token if self._get_token is None else self._get_token()

    def replace(self, rejected: str | None) -> str | None:
        """A token other than the rejected one, renewed if necessary."""
        if self._on_unauthorised is None:
            return None
        with self._lock:
            now = self.current()
            # Another request has already renewed the token while this one was in flight.
            if now is not None and now != rejected:
                return now
            renewed = self._on_unauthorised()
            if renewed is not None:
                self._token = renewed
            return renewed


class Core:
    """Requests over blocking or asyncio connections."""

    def __init__(
        self,
        io: Io,
        credentials: Credentials,
        *,
        org_id: str | None,
        retries: int,
        timeout: float | None,
    ) -> None:
        self.io = io
        self._credentials = credentials
        self._org_id = org_id
        self._retries = retries
        self._timeout = timeout

    async def request(self, method: str, path: str, call: Call) -> Any:
        return read_body(await self.raw(method, path, call))

    async def raw(self, method: str, path: str, call: Call) -> Response:
        timeout = self._timeout if call.timeout is None else call.timeout
        deadline = None if timeout is None else time.monotonic() + timeout
        key = self._idempotency_key(method, path, call)
        request = self._request(method, path, call, key)
        retries = self._retries if method == "GET" or key is not None else 0
        attempt = 0
        while True:
            try:
                response = await self._send_once(request, deadline)
                if response.ok or response.status == 304:
                    return response
                raise to_api_error(response)
            except (ApiError, NetworkError) as error:
                delay = retry_delay(error, attempt, random.random()) if attempt < retries else None
                if delay is None:
                    raise
                if deadline is not None and time.monotonic() + delay >= deadline:
                    raise DeadlineExceeded("No time is left for a retry.") from error
            await self.io.sleep(delay)
            attempt += 1

    async def _send_once(self, request: Request, deadline: float | None) -> Response:
        """Repeats the request once with a fresh token after a 401."""
        token = self._credentials.current()
        response = await self.io.exchange(_authorised(request, token), deadline)
        if response.status != 401 or not self._credentials.can_renew:
            return response
        fresh = await self.io.call(lambda: self._credentials.replace(token))
        if fresh is None:
            return response
        return await self.io.exchange(_authorised(request, fresh), deadline)

    def _idempotency_key(self, method: str, path: str, call: Call) -> str | None:
        """Without retries no key is made up, so that the service need not store the response."""
        if method != "POST" or path in KEYLESS_POSTS:
            return None
        if call.idempotency_key is not None:
            return call.idempotency_key
        return str(uuid.uuid4()) if self._retries > 0 else None

    def _request(self, method: str, path: str, call: Call, key: str | None) -> Request:
        headers = {"accept": "application/json", "user-agent": USER_AGENT}
        if call.body is not None:
            is_yaml = isinstance(call.body, str)
            headers["content-type"] = "application/yaml" if is_yaml else "application/json"
        if self._org_id is not None:
            headers["x-org-id"] = self._org_id
        if key is not None:
            headers["idempotency-key"] = key
        for name, value in (call.headers or {}).items():
            headers[name.lower()] = value
        target = fill_path(path, call.params or {}) + query_string(call.query or {})
        return Request(method, target, headers, encode_body(call.body))


def _authorised(request: Request, token: str | None) -> Request:
    if token is None:
        return request
    headers = {"authorization": f"Bearer {token}", **request.headers}
    return Request(request.method, request.target, headers, request.body)


def fill_path(path: str, params: Mapping[str, str | int]) -> str:
    def value_of(match: re.Match[str]) -> str:
        value = str(params.get(match[1], ""))
        # An empty parameter would address a different path.
        if value == "":
            raise ValueError(f"{path}: the parameter {match[1]} is missing or empty")
        return quote(value, safe=_KEPT_IN_PATH)

    return re.sub(r"\{(\w+)\}", value_of, path)


def query_string(query: Mapping[str, Any]) -> str:
    """A parameter with several values is repeated, as OpenAPI serialises arrays by default."""
    pairs = [
        (name, _query_value(one))
        for name, value in query.items()
        for one in (value if isinstance(value, (list, tuple)) else [value])
        if one is not None
    ]
    return f"?{urlencode(pairs)}" if pairs else ""


def _query_value(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def encode_body(body: Any) -> bytes | None:
    if body is None or isinstance(body, str):
        return None if body is None else body.encode("utf-8")
    try:
        text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except RecursionError:
        raise ValueError("the body is nested too deeply") from None
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        # Lone surrogates have no UTF-8 form; escaped, the service can say where they are.
        return json.dumps(body, separators=(",", ":")).encode("ascii")


def read_body(response: Response) -> Any:
    """Parses a JSON body, returns any other as text, and None if it is empty."""
    if response.body == b"":
        return None
    media = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != "application/json":
        return response.text
    try:
        return parse_json(response.body)
    except ValueError as error:
        raise NetworkError("The answer of the service is not JSON.") from error
