"""Guards functions and coroutine functions, and keeps their signatures."""

from __future__ import annotations

import contextvars
import functools
import inspect
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from .tool_call import ToolCall

ArgumentsOf = Callable[..., Mapping[str, Any]]

#: Properties of the calls within a `call_context`.
_context: contextvars.ContextVar[dict[str, Any]] = contextvars.ContextVar("touchstone_call")

_CONTEXT_FIELDS = (
    "justification",
    "thinking",
    "session_id",
    "transaction_id",
    "escalation_id",
)


@contextmanager
def call_context(**fields: str | None) -> Iterator[None]:
    """Adds to the guarded calls within: justification, thinking, session_id, transaction_id,
    escalation_id.
    """
    unknown = [name for name in fields if name not in _CONTEXT_FIELDS]
    if unknown:
        raise TypeError(f"call_context: {unknown[0]} is not one of {', '.join(_CONTEXT_FIELDS)}")
    token = _context.set({**_context.get({}), **fields})
    try:
        yield
    finally:
        _context.reset(token)


def in_context(call: ToolCall) -> ToolCall:
    """The call's own properties take precedence."""
    given = {
        name: value
        for name, value in _context.get({}).items()
        if value is not None and getattr(call, name) is None
    }
    return replace(call, **given) if given else call


def is_async(function: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(_innermost(function))


def _innermost(function: Callable[..., Any]) -> Callable[..., Any]:
    while isinstance(function, functools.partial):
        function = function.func
    if not (inspect.isroutine(function) or inspect.isclass(function)):
        function = getattr(function, "__call__", function)
    return function


def require_function(function: Callable[..., Any]) -> None:
    """A generator returns before its work is done, so its outcome could not be told."""
    if not callable(function):
        raise TypeError("only a function can be guarded")
    innermost = _innermost(function)
    if inspect.isgeneratorfunction(innermost) or inspect.isasyncgenfunction(innermost):
        raise TypeError("a generator cannot be guarded: guard a function that returns its result")


def name_of(function: Callable[..., Any]) -> str:
    name = getattr(_innermost(function), "__name__", None)
    if not isinstance(name, str) or name in ("<lambda>", "__call__"):
        raise TypeError("the function has no name: pass tool=…")
    return name


def arguments_reader(
    function: Callable[..., Any], arguments_of: ArgumentsOf | None
) -> ArgumentsOf:
    """Reads the arguments of a call by name, defaults included, without self and cls."""
    if arguments_of is not None:
        return arguments_of
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        raise TypeError("the function has no signature: pass arguments_of=…") from None
    variable = {
        one.name: one.kind
        for one in signature.parameters.values()
        if one.kind in (one.VAR_KEYWORD, one.VAR_POSITIONAL)
    }
    first = next(iter(signature.parameters), None)
    receiver = first if first in ("self", "cls") else None

    def read(*args: Any, **kwargs: Any) -> Mapping[str, Any]:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        arguments: dict[str, Any] = {}
        for name, value in bound.arguments.items():
            if name == receiver:
                continue
            if variable.get(name) == inspect.Parameter.VAR_KEYWORD:
                arguments.update(value)
            elif name not in variable or value:
                arguments[name] = value
        return arguments

    return read


def keep_signature(guarded: Callable[..., Any], function: Callable[..., Any]) -> None:
    """Frameworks read name, description and parameters of a tool from the function."""
    functools.update_wrapper(guarded, function)
    if isinstance(function, functools.partial):
        functools.update_wrapper(guarded, function.func)
        guarded.__wrapped__ = function  # type: ignore[attr-defined]


Runner = Callable[[ToolCall, Callable[[], Any]], Any]


def guarded_function(
    function: Callable[..., Any], call_of: Callable[..., ToolCall], run: Runner
) -> Any:
    def guarded(*args: Any, **kwargs: Any) -> Any:
        return run(call_of(*args, **kwargs), lambda: function(*args, **kwargs))

    keep_signature(guarded, function)
    return guarded


def guarded_coroutine(
    function: Callable[..., Any],
    call_of: Callable[..., ToolCall],
    run: Callable[[ToolCall, Callable[[], Any]], Awaitable[Any]],
) -> Any:
    async def guarded(*args: Any, **kwargs: Any) -> Any:
        return await run(call_of(*args, **kwargs), lambda: function(*args, **kwargs))

    keep_signature(guarded, function)
    return guarded
