"""The guards of blocking and of asyncio programs."""

from __future__ import annotations

import asyncio
import inspect
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

from .._io import run
from .admission import Admission, Admitter
from .tool_call import ToolCall, Verdict
from .tools import (
    ArgumentsOf,
    arguments_reader,
    call_context,
    guarded_coroutine,
    guarded_function,
    in_context,
    is_async,
    name_of,
    require_function,
)

F = TypeVar("F", bound=Callable[..., Any])


class _BaseGuard:
    def __init__(self, admitter: Admitter) -> None:
        self._admitter = admitter

    @property
    def agent_id(self) -> str | None:
        """None if the client was given none, because its key is bound to one."""
        return self._admitter.agent_id

    @property
    def session_id(self) -> str:
        """The session of calls that name none."""
        return self._admitter.session_id

    def pending(self) -> int:
        """How many records and outcomes wait to be sent."""
        return self._admitter.recorder.pending()

    def __call__(
        self,
        tool: str | None = None,
        *,
        action: str | None = None,
        arguments_of: ArgumentsOf | None = None,
    ) -> Callable[[F], F]:
        """A decorator: requests a decision, calls the function if allowed, and records the outcome.

        `tool` is the name that policies use, by default the function's. `action` is the card
        action.
        `arguments_of` takes what the function takes and returns what policies can refer to.
        """
        if tool is not None and not isinstance(tool, str):
            raise TypeError("the guard is used as @guard(), with parentheses")
        return lambda function: self.wrap_tool(
            function, tool=tool, action=action, arguments_of=arguments_of
        )

    def wrap_tool(
        self,
        function: F,
        *,
        tool: str | None = None,
        action: str | None = None,
        arguments_of: ArgumentsOf | None = None,
        refusals: str = "raise",
    ) -> F:
        """The function, guarded, with its name, description and signature, for any framework.

        With `refusals="return"` a refused call returns the reason as text for the model, instead of
        raising a GuardRefusal.
        """
        require_function(function)
        if refusals not in ("raise", "return"):
            raise ValueError("refusals must be raise or return")
        name = name_of(function) if tool is None else tool
        read = arguments_reader(function, arguments_of)

        def call_of(*args: Any, **kwargs: Any) -> ToolCall:
            return ToolCall(tool=name, arguments=read(*args, **kwargs), action=action)

        return self._wrap(function, call_of, refusals == "return")

    def _wrap(
        self, function: F, call_of: Callable[..., ToolCall], returns_refusals: bool
    ) -> F:
        raise NotImplementedError


class Guard(_BaseGuard):
    """Requests a decision before every tool call, and sends evidence of the call afterwards.

    Thread-safe. Coroutine functions can be guarded, too: the decision then waits on another thread.
    """

    def run(self, call: ToolCall, work: Callable[[], Any]) -> Any:
        """Calls the tool if it is allowed, and raises a GuardRefusal if not."""
        return _finish_here(_allowed(self.admit(call)), work)

    def admit(self, call: ToolCall) -> Admission:
        """The same in two steps, for proxies that forward calls."""
        return run(self._admitter.admit(in_context(call)))

    def check(self, call: ToolCall) -> Verdict:
        """Requests a decision without making the call or sending evidence."""
        return run(self._admitter.check(in_context(call)))

    @contextmanager
    def session(self, session_id: str | None = None) -> Iterator[str]:
        """The calls within belong to one session. Its checkpoint is complete at the end."""
        name = session_id or f"sess-{uuid.uuid4()}"
        try:
            with call_context(session_id=name):
                yield name
        finally:
            self._admitter.recorder.end_session(name)

    def flush(self) -> None:
        """Ends the sessions and sends all evidence and outcomes.

        Raises if evidence could not be sent.
        """
        self._admitter.recorder.flush()

    def _wrap(
        self, function: F, call_of: Callable[..., ToolCall], returns_refusals: bool
    ) -> F:
        if is_async(function):

            async def run_async(call: ToolCall, work: Callable[[], Any]) -> Any:
                admission = await asyncio.to_thread(self.admit, call)
                if returns_refusals and admission.refusal is not None:
                    return str(admission.refusal)
                return await _finish(_allowed(admission), work)

            wrapped: F = guarded_coroutine(function, call_of, run_async)
            return wrapped

        def run_here(call: ToolCall, work: Callable[[], Any]) -> Any:
            admission = self.admit(call)
            if returns_refusals and admission.refusal is not None:
                return str(admission.refusal)
            return _finish_here(_allowed(admission), work)

        blocking: F = guarded_function(function, call_of, run_here)
        return blocking


class AsyncGuard(_BaseGuard):
    """The same for asyncio. A guarded function that is not a coroutine function becomes one.

    Evidence is sent by a thread, so callbacks about it are called there.
    """

    async def run(self, call: ToolCall, work: Callable[[], Any]) -> Any:
        """Calls the tool if it is allowed, and raises a GuardRefusal if not."""
        return await _finish(_allowed(await self.admit(call)), work)

    async def admit(self, call: ToolCall) -> Admission:
        """The same in two steps, for proxies that forward calls."""
        return await self._admitter.admit(in_context(call))

    async def check(self, call: ToolCall) -> Verdict:
        """Requests a decision without making the call or sending evidence."""
        return await self._admitter.check(in_context(call))

    @asynccontextmanager
    async def session(self, session_id: str | None = None) -> AsyncIterator[str]:
        """The calls within belong to one session. Its checkpoint is complete at the end."""
        name = session_id or f"sess-{uuid.uuid4()}"
        try:
            with call_context(session_id=name):
                yield name
        finally:
            self._admitter.recorder.end_session(name)

    async def flush(self) -> None:
        """Ends the sessions and sends all evidence and outcomes.

        Raises if evidence could not be sent.
        """
        await asyncio.to_thread(self._admitter.recorder.flush)

    def _wrap(
        self, function: F, call_of: Callable[..., ToolCall], returns_refusals: bool
    ) -> F:
        async def run_async(call: ToolCall, work: Callable[[], Any]) -> Any:
            admission = await self.admit(call)
            if returns_refusals and admission.refusal is not None:
                return str(admission.refusal)
            return await _finish(_allowed(admission), work)

        wrapped: F = guarded_coroutine(function, call_of, run_async)
        return wrapped


def _allowed(admission: Admission) -> Admission:
    if admission.refusal is not None:
        raise admission.refusal
    return admission


def _finish_here(admission: Admission, work: Callable[[], Any]) -> Any:
    try:
        result = work()
    except BaseException as error:
        admission.end("failed", error)
        raise
    # A function that turned out to be a coroutine function has not done anything yet.
    if inspect.isawaitable(result):
        return _finish(admission, lambda: result)
    admission.end("succeeded")
    return result


async def _finish(admission: Admission, work: Callable[[], Any]) -> Any:
    try:
        result = work()
        if inspect.isawaitable(result):
            result = await result
    except BaseException as error:
        admission.end("failed", error)
        raise
    admission.end("succeeded")
    return result
