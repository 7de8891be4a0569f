"""The parts that both clients share: the requests behind their methods, and their settings."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from ._core import Call, Core, Credentials
from ._http import read_origin
from ._io import AsyncIo, BlockingIo
from .errors import ApiError
from .gate import GateOptions, GateOutcome, evaluate_gate, unknown_agent
from .guard.admission import Admitter, GuardOptions
from .guard.decide import decision_body
from .guard.tool_call import ToolCall, to_json_object
from .guard.tools import in_context

_RETRIES = 2
_TIMEOUT_SECONDS = 60.0


class Operations:
    """The requests behind the methods of both clients, as coroutines."""

    def __init__(self, core: Core, agent_id: str | None) -> None:
        self.core = core
        self._agent_id = agent_id

    def agent(self, agent_id: str | None) -> str:
        chosen = agent_id or self._agent_id
        if not chosen:
            raise ValueError("an agent_id is required, here or of the client")
        return chosen

    def decide(
        self, given: ToolCall, agent_id: str | None, timeout: float | None
    ) -> Coroutine[Any, Any, Any]:
        call = in_context(given)
        body = decision_body(agent_id or self._agent_id, call)
        if call.arguments is not None:
            body["arguments"] = to_json_object(call.arguments)
        return self.core.request("POST", "/v1/gateway/decide", Call(body=body, timeout=timeout))

    def outcome(self, decision_id: str, fields: dict[str, Any]) -> Coroutine[Any, Any, Any]:
        body = {name: value for name, value in fields.items() if value is not None}
        call = Call(params={"decision_id": decision_id}, body=body)
        return self.core.request("POST", "/v1/decisions/{decision_id}/outcome", call)

    def checkpoint(
        self, checkpoint: Mapping[str, Any], agent_id: str | None
    ) -> Coroutine[Any, Any, Any]:
        agent = self.agent(agent_id or checkpoint.get("agent_id"))
        call = Call(params={"agent_id": agent}, body={**checkpoint, "agent_id": agent})
        return self.core.request("POST", "/v1/agents/{agent_id}/checkpoints", call)

    def reputation(self, agent_id: str | None) -> Coroutine[Any, Any, Any]:
        call = Call(params={"agent_id": self.agent(agent_id)})
        return self.core.request("GET", "/v1/reputation/{agent_id}", call)

    async def gate(self, agent_id: str, options: GateOptions) -> GateOutcome:
        try:
            return evaluate_gate(await self.reputation(agent_id), options)
        except ApiError as error:
            if error.status != 404:
                raise
            return unknown_agent(agent_id)

    async def bundle_lines(self, agent_id: str | None) -> list[str]:
        call = Call(params={"agent_id": self.agent(agent_id)}, headers={"accept": "*/*"})
        response = await self.core.raw("GET", "/v1/reputation/{agent_id}/bundle", call)
        return response.text.split("\n")


class BaseClient:
    def __init__(
        self,
        base_url: str,
        token: str | None = None,
        *,
        agent_id: str | None = None,
        org_id: str | None = None,
        get_token: Callable[[], str | None] | None = None,
        on_unauthorised: Callable[[], str | None] | None = None,
        retries: int = _RETRIES,
        timeout: float | None = _TIMEOUT_SECONDS,
        ssl_context: ssl.SSLContext | None = None,
        guard: GuardOptions | None = None,
    ) -> None:
        """
        `token` is an API key or a session token; `get_token` is called before every request
        instead.
        `agent_id` may be left out for decisions and guards with a key that is bound to an agent.
        `on_unauthorised` returns a fresh token after a 401, or None to keep the error; concurrent
        requests share one call. `org_id`: for users in several organisations, the one to act for.
        `retries`: how often a GET, or a POST with an idempotency key, is retried. `timeout`:
        seconds for
        a whole call, retries included; None waits forever. `guard` configures `guard()` and
        `session()`.
        """
        origin = read_origin(base_url)
        credentials = Credentials(token, get_token, on_unauthorised)
        settings: dict[str, Any] = {"org_id": org_id, "retries": retries, "timeout": timeout}
        # Evidence is sent by a thread, also for asyncio: an event loop ends before the program
        # does.
        self._blocking_io = BlockingIo(origin, ssl_context)
        self._blocking_core = Core(self._blocking_io, credentials, **settings)
        self._async_io = AsyncIo(origin, ssl_context)
        self._async_core = Core(self._async_io, credentials, **settings)
        self._agent_id = agent_id
        self._guard_options = guard or GuardOptions()
        self._lock = threading.Lock()
        self._start()

    def _start(self) -> None:
        """The part of each client."""
        raise NotImplementedError

    def _admitter(
        self, core: Core, agent_id: str | None, options: GuardOptions | None
    ) -> Admitter:
        agent = agent_id or self._agent_id
        return Admitter(core, self._blocking_core, agent, options or self._guard_options)


def outcome_fields(
    status: str, duration_ms: float | None, error: str | None, result_hash: str | None
) -> dict[str, Any]:
    return {
        "status": status,
        "duration_ms": duration_ms,
        "error": error,
        "result_hash": result_hash,
    }
