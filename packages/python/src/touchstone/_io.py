"""Connections to the service: blocking ones, and those of asyncio.

All else is written once, as coroutines. With blocking connections they never suspend, so `run` can
finish them without an event loop.
"""

from __future__ import annotations

import asyncio
import os
import select
import socket
import ssl
import threading
import time
import weakref
from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeVar

from ._http import Origin, Request, Response, ResponseReader
from .errors import DeadlineExceeded, NetworkError

T = TypeVar("T")

#: Below the five seconds after which servers commonly close an idle connection.
_IDLE_SECONDS_MAX = 4.0
_IDLE_MAX = 32
_READ_BYTES = 65_536


class Io(Protocol):
    async def exchange(self, request: Request, deadline: float | None) -> Response: ...

    async def sleep(self, seconds: float) -> None: ...

    async def call(self, function: Callable[[], T]) -> T:
        """Calls a function that may block."""
        ...


def run(work: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine that never suspends."""
    try:
        work.send(None)
    except StopIteration as stop:
        result: T = stop.value
        return result
    work.close()
    raise RuntimeError("a coroutine over blocking connections must not suspend")


def seconds_left(deadline: float | None) -> float | None:
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        raise DeadlineExceeded("The service did not answer in time.")
    return left


_forked: weakref.WeakSet[Any] = weakref.WeakSet()


def reset_after_fork(owner: Any) -> None:
    """Calls `owner.after_fork()` in child processes, which must not share sockets and have no
    threads.
    """
    _forked.add(owner)


def _after_fork() -> None:
    for owner in list(_forked):
        owner.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class BlockingIo:
    """Thread-safe: each exchange has a connection of its own, and idle ones are used again."""

    def __init__(self, origin: Origin, context: ssl.SSLContext | None) -> None:
        self._origin = origin
        self._context = context
        reset_after_fork(self)
        self.after_fork()

    def after_fork(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[tuple[socket.socket, float]] = []

    async def exchange(self, request: Request, deadline: float | None) -> Response:
        data = request.encode(self._origin)
        connection: socket.socket | None = None
        try:
            connection = self._take_idle() or self._connect(deadline)
            reader = ResponseReader()
            connection.settimeout(seconds_left(deadline))
            connection.sendall(data)
            while reader.response is None:
                connection.settimeout(seconds_left(deadline))
                reader.feed(connection.recv(_READ_BYTES))
            if reader.keeps_alive:
                self._give_back(connection)
                connection = None
            return reader.response
        except (DeadlineExceeded, NetworkError):
            raise
        except TimeoutError as error:
            raise DeadlineExceeded("The service did not answer in time.") from error
        except OSError as error:
            raise NetworkError(f"The service could not be reached: {error}") from error
        finally:
            if connection is not None:
                connection.close()

    async def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    async def call(self, function: Callable[[], T]) -> T:
        return function()

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection, _ in idle:
            connection.close()

    def _connect(self, deadline: float | None) -> socket.socket:
        origin = self._origin
        connection = socket.create_connection((origin.host, origin.port), seconds_left(deadline))
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if origin.is_secure:
                context = self._context or ssl.create_default_context()
                connection.settimeout(seconds_left(deadline))
                connection = context.wrap_socket(connection, server_hostname=origin.host)
        except BaseException:
            connection.close()
            raise
        return connection

    def _take_idle(self) -> socket.socket | None:
        while True:
            with self._lock:
                if not self._idle:
                    return None
                connection, since = self._idle.pop()
            if time.monotonic() - since <= _IDLE_SECONDS_MAX and not _is_readable(connection):
                return connection
            connection.close()

    def _give_back(self, connection: socket.socket) -> None:
        with self._lock:
            if len(self._idle) < _IDLE_MAX:
                self._idle.append((connection, time.monotonic()))
                return
        connection.close()


def _is_readable(connection: socket.socket) -> bool:
    """An idle connection has nothing to say: the server has closed it, or broke the protocol."""
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(connection, select.POLLIN)
        return bool(poll.poll(0))
    return bool(select.select([connection], [], [], 0)[0])


_Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class AsyncIo:
    """Connections belong to the event loop that opened them; those of an earlier loop are dropped.
    """

    def __init__(self, origin: Origin, context: ssl.SSLContext | None) -> None:
        self._origin = origin
        self._context = context
        self._loop: asyncio.AbstractEventLoop | None = None
        reset_after_fork(self)
        self.after_fork()

    def after_fork(self) -> None:
        self._idle: list[tuple[_Stream, float]] = []

    async def exchange(self, request: Request, deadline: float | None) -> Response:
        data = request.encode(self._origin)
        try:
            return await asyncio.wait_for(self._exchange(data), seconds_left(deadline))
        except DeadlineExceeded:
            raise
        # Until Python 3.10 that of asyncio is a class of its own.
        except (TimeoutError, asyncio.TimeoutError) as error:
            raise DeadlineExceeded("The service did not answer in time.") from error
        except NetworkError:
            raise
        except OSError as error:
            raise NetworkError(f"The service could not be reached: {error}") from error

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def call(self, function: Callable[[], T]) -> T:
        return await asyncio.to_thread(function)

    def close(self) -> None:
        idle, self._idle = self._idle, []
        if self._loop is None or self._loop.is_closed():
            return
        for (_, writer), _ in idle:
            writer.close()

    async def _exchange(self, data: bytes) -> Response:
        stream = self._take_idle() or await self._connect()
        reader, writer = stream
        try:
            writer.write(data)
            await writer.drain()
            parser = ResponseReader()
            while parser.response is None:
                parser.feed(await reader.read(_READ_BYTES))
        except BaseException:
            writer.transport.abort()
            raise
        if parser.keeps_alive and len(self._idle) < _IDLE_MAX:
            self._idle.append((stream, time.monotonic()))
        else:
            writer.close()
        return parser.response

    async def _connect(self) -> _Stream:
        origin = self._origin
        if not origin.is_secure:
            return await asyncio.open_connection(origin.host, origin.port)
        context = self._context or ssl.create_default_context()
        return await asyncio.open_connection(origin.host, origin.port, ssl=context)

    def _take_idle(self) -> _Stream | None:
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self.close()
            self._loop = loop
        while self._idle:
            stream, since = self._idle.pop()
            reader, writer = stream
            is_open = not reader.at_eof() and not writer.is_closing()
            if is_open and time.monotonic() - since <= _IDLE_SECONDS_MAX:
                return stream
            writer.close()
        return None
