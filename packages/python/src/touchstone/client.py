"""The clients: `Touchstone` for blocking programs and `AsyncTouchstone` for asyncio."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeVar, Union

from ._core import Call
from ._http import Response
from ._io import run
from ._operations import BaseClient, Operations, outcome_fields
from ._pages import CursorPages, NumberedPages
from .gate import GateOptions, GateOutcome
from .guard.admission import GuardOptions
from .guard.guard import AsyncGuard, Guard
from .guard.tool_call import ToolCall
from .guard.tools import ArgumentsOf

if TYPE_CHECKING:
    from . import types

F = TypeVar("F", bound=Callable[..., Any])
Pages = Union[NumberedPages, CursorPages]


class Touchstone(BaseClient):
    """A client whose methods block. Thread-safe."""

    def _start(self) -> None:
        self._operations = Operations(self._blocking_core, self._agent_id)
        self._default_guard: Guard | None = None

    def __enter__(self) -> Touchstone:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Sends what waits and closes the connections."""
        try:
            if self._default_guard is not None:
                self._default_guard.flush()
        finally:
            self._blocking_io.close()

    def request(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str | int] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Returns the response body: JSON parsed, anything else as text, None if it is empty.

        Raises an ApiError for an error response. A `body` that is text is sent as YAML.
        """
        call = Call(params, query, body, headers, idempotency_key, timeout)
        return run(self._blocking_core.request(method, path, call))

    def raw(self, method: str, path: str, **options: Any) -> Response:
        """The same, but returns status, headers and body, also of a 304."""
        return run(self._blocking_core.raw(method, path, Call(**options)))

    def items(self, path: str, **options: Any) -> Iterator[Any]:
        """The items of a list with numbered pages, which are fetched on demand."""
        return self._read_pages(path, NumberedPages(options.pop("query", None)), options)

    def cursor_items(self, path: str, **options: Any) -> Iterator[Any]:
        """The items of a list with a cursor, such as `/v1/decisions`."""
        return self._read_pages(path, CursorPages(options.pop("query", None)), options)

    def _read_pages(self, path: str, pages: Pages, options: dict[str, Any]) -> Iterator[Any]:
        while pages.query is not None:
            yield from pages.take(self.request("GET", path, query=pages.query, **options))

    def decide(
        self,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        agent_id: str | None = None,
        timeout: float | None = None,
        **call: Any,
    ) -> types.Decision:
        """Requests a decision about a tool call; `call` has further fields of a ToolCall."""
        given = ToolCall(tool, arguments, **call)
        decision: types.Decision = run(self._operations.decide(given, agent_id, timeout))
        return decision

    def outcome(
        self,
        decision_id: str,
        status: str,
        *,
        duration_ms: float | None = None,
        error: str | None = None,
        result_hash: str | None = None,
    ) -> types.ReportedOutcome:
        """Reports what became of a decision: executed, failed or not_executed."""
        fields = outcome_fields(status, duration_ms, error, result_hash)
        reported: types.ReportedOutcome = run(self._operations.outcome(decision_id, fields))
        return reported

    def checkpoint(
        self, checkpoint: types.NewCheckpoint, *, agent_id: str | None = None
    ) -> types.CheckpointResult:
        """Sends a checkpoint, such as `{"thinking": …, "output": …}`, to be analysed."""
        result: types.CheckpointResult = run(self._operations.checkpoint(checkpoint, agent_id))
        return result

    def reputation(self, agent_id: str | None = None) -> types.ReputationScore:
        reputation: types.ReputationScore = run(self._operations.reputation(agent_id))
        return reputation

    def reputation_gate(self, **options: Any) -> Callable[[str], GateOutcome]:
        """A function that checks agents; takes the fields of GateOptions.

        An agent that is unknown or not rated is not allowed. If the service cannot be reached or
        refuses
        the request, the error is raised.
        """
        chosen = GateOptions(**options)
        return lambda agent_id: run(self._operations.gate(agent_id, chosen))

    def bundle(self, agent_id: str | None = None) -> list[str]:
        """The lines of the evidence bundle of an agent, for `verify_bundle`."""
        return run(self._operations.bundle_lines(agent_id))

    def create_guard(
        self, agent_id: str | None = None, options: GuardOptions | None = None
    ) -> Guard:
        """A guard of its own, with its own queue of evidence: flush it before the program ends."""
        return Guard(self._admitter(self._blocking_core, agent_id, options))

    @property
    def default_guard(self) -> Guard:
        """The guard of `guard()` and `session()`."""
        with self._lock:
            if self._default_guard is None:
                self._default_guard = self.create_guard()
            return self._default_guard

    def guard(
        self,
        tool: str | None = None,
        *,
        action: str | None = None,
        arguments_of: ArgumentsOf | None = None,
    ) -> Callable[[F], F]:
        """A decorator for functions and coroutine functions; see Guard."""
        return self.default_guard(tool, action=action, arguments_of=arguments_of)

    def wrap_tool(self, function: F, **options: Any) -> F:
        """The function, guarded, for any framework; see Guard."""
        return self.default_guard.wrap_tool(function, **options)

    def session(self, session_id: str | None = None) -> AbstractContextManager[str]:
        """The guarded calls within belong to one session. Its checkpoint is complete at the end."""
        return self.default_guard.session(session_id)


class AsyncTouchstone(BaseClient):
    """A client whose methods are coroutines. Not for use from several threads."""

    def _start(self) -> None:
        self._operations = Operations(self._async_core, self._agent_id)
        self._default_guard: AsyncGuard | None = None

    async def __aenter__(self) -> AsyncTouchstone:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Sends what waits and closes the connections."""
        try:
            if self._default_guard is not None:
                await self._default_guard.flush()
        finally:
            self._async_io.close()
            self._blocking_io.close()

    async def request(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str | int] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Returns the response body: JSON parsed, anything else as text, None if it is empty.

        Raises an ApiError for an error response. A `body` that is text is sent as YAML.
        """
        call = Call(params, query, body, headers, idempotency_key, timeout)
        return await self._async_core.request(method, path, call)

    async def raw(self, method: str, path: str, **options: Any) -> Response:
        """The same, but returns status, headers and body, also of a 304."""
        return await self._async_core.raw(method, path, Call(**options))

    def items(self, path: str, **options: Any) -> AsyncIterator[Any]:
        """The items of a list with numbered pages, which are fetched on demand."""
        return self._read_pages(path, NumberedPages(options.pop("query", None)), options)

    def cursor_items(self, path: str, **options: Any) -> AsyncIterator[Any]:
        """The items of a list with a cursor, such as `/v1/decisions`."""
        return self._read_pages(path, CursorPages(options.pop("query", None)), options)

    async def _read_pages(
        self, path: str, pages: Pages, options: dict[str, Any]
    ) -> AsyncIterator[Any]:
        while pages.query is not None:
            for one in pages.take(await self.request("GET", path, query=pages.query, **options)):
                yield one

    async def decide(
        self,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        agent_id: str | None = None,
        timeout: float | None = None,
        **call: Any,
    ) -> types.Decision:
        """Requests a decision about a tool call; `call` has further fields of a ToolCall."""
        given = ToolCall(tool, arguments, **call)
        decision: types.Decision = await self._operations.decide(given, agent_id, timeout)
        return decision

    async def outcome(
        self,
        decision_id: str,
        status: str,
        *,
        duration_ms: float | None = None,
        error: str | None = None,
        result_hash: str | None = None,
    ) -> types.ReportedOutcome:
        """Reports what became of a decision: executed, failed or not_executed."""
        fields = outcome_fields(status, duration_ms, error, result_hash)
        reported: types.ReportedOutcome = await self._operations.outcome(decision_id, fields)
        return reported

    async def checkpoint(
        self, checkpoint: types.NewCheckpoint, *, agent_id: str | None = None
    ) -> types.CheckpointResult:
        """Sends a checkpoint, such as `{"thinking": …, "output": …}`, to be analysed."""
        result: types.CheckpointResult = await self._operations.checkpoint(checkpoint, agent_id)
        return result

    async def reputation(self, agent_id: str | None = None) -> types.ReputationScore:
        reputation: types.ReputationScore = await self._operations.reputation(agent_id)
        return reputation

    def reputation_gate(
        self, **options: Any
    ) -> Callable[[str], Coroutine[Any, Any, GateOutcome]]:
        """A coroutine function that checks agents; takes the fields of GateOptions."""
        chosen = GateOptions(**options)
        return lambda agent_id: self._operations.gate(agent_id, chosen)

    async def bundle(self, agent_id: str | None = None) -> list[str]:
        """The lines of the evidence bundle of an agent, for `verify_bundle`."""
        return await self._operations.bundle_lines(agent_id)

    def create_guard(
        self, agent_id: str | None = None, options: GuardOptions | None = None
    ) -> AsyncGuard:
        """A guard of its own, with its own queue of evidence: flush it before the program ends."""
        return AsyncGuard(self._admitter(self._async_core, agent_id, options))

    @property
    def default_guard(self) -> AsyncGuard:
        """The guard of `guard()` and `session()`."""
        with self._lock:
            if self._default_guard is None:
                self._default_guard = self.create_guard()
            return self._default_guard

    def guard(
        self,
        tool: str | None = None,
        *,
        action: str | None = None,
        arguments_of: ArgumentsOf | None = None,
    ) -> Callable[[F], F]:
        """A decorator; a function that is not a coroutine function becomes one."""
        return self.default_guard(tool, action=action, arguments_of=arguments_of)

    def wrap_tool(self, function: F, **options: Any) -> F:
        """The function, guarded, for any framework; see AsyncGuard."""
        return self.default_guard.wrap_tool(function, **options)

    def session(self, session_id: str | None = None) -> AbstractAsyncContextManager[str]:
        """The guarded calls within belong to one session. Its checkpoint is complete at the end."""
        return self.default_guard.session(session_id)
