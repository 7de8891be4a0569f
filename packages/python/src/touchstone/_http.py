"""HTTP/1.1 as texts and bytes, without I/O: shared by the blocking and the asyncio connections.

The library's own client has a time-out per operation. A deadline for a whole answer needs the
parts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from .errors import NetworkError

_HEAD_BYTES_MAX = 65_536
_CHUNK_SIZE = re.compile(rb"[0-9a-fA-F]{1,15}")


@dataclass(frozen=True)
class Origin:
    """The address of the service."""

    host: str
    port: int
    is_secure: bool
    #: The host as the Host header has it.
    authority: str
    #: In front of every path, without a trailing slash.
    prefix: str


def read_origin(base_url: str) -> Origin:
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("base_url must be an address such as https://trust.example.com")
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError("base_url must have no user, query or fragment")
    is_secure = parts.scheme == "https"
    port = parts.port or (443 if is_secure else 80)
    host = parts.hostname.encode("idna").decode("ascii") if ":" not in parts.hostname else None
    name = parts.hostname if host is None else host
    authority = f"[{name}]" if host is None else name
    if parts.port is not None:
        authority = f"{authority}:{port}"
    return Origin(name, port, is_secure, authority, parts.path.rstrip("/"))


@dataclass(frozen=True)
class Request:
    method: str
    #: Path and query.
    target: str
    #: With lower-case names.
    headers: dict[str, str]
    body: bytes | None = None

    def encode(self, origin: Origin) -> bytes:
        headers = {"host": origin.authority, **self.headers}
        if self.body is not None or self.method in ("POST", "PUT", "PATCH"):
            headers["content-length"] = str(len(self.body or b""))
        lines = [f"{self.method} {origin.prefix}{self.target} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        if any("\r" in line or "\n" in line or "\0" in line for line in lines):
            raise ValueError("a header or path must not contain line breaks")
        head = "\r\n".join([*lines, "", ""])
        try:
            return head.encode("latin-1") + (self.body or b"")
        except UnicodeEncodeError:
            raise ValueError("a header must contain only characters of Latin-1") from None


@dataclass(frozen=True)
class Response:
    status: int
    #: With lower-case names. Of a repeated header, the last one.
    headers: dict[str, str]
    body: bytes

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")


@dataclass
class ResponseReader:
    """Collects one response. Raises a NetworkError for anything that is not HTTP."""

    response: Response | None = None
    #: Whether the connection can be used again.
    keeps_alive: bool = False
    _buffer: bytearray = field(default_factory=bytearray)
    _status: int = 0
    _headers: dict[str, str] = field(default_factory=dict)
    _body: bytearray = field(default_factory=bytearray)
    #: head, length, chunk, chunk-data, chunk-end, trailer or close.
    _state: str = "head"
    _left: int = 0

    def feed(self, data: bytes) -> None:
        """Takes what arrived; empty at the end of the connection."""
        if not data:
            self._end()
            return
        self._buffer += data
        while self.response is None and self._advance():
            pass

    def _end(self) -> None:
        if self._state != "close":
            raise NetworkError("The connection was closed before the whole answer arrived.")
        self._finish()

    def _advance(self) -> bool:
        """Whether there was progress."""
        if self._state == "head":
            return self._read_head()
        if self._state == "length":
            return self._read_length()
        if self._state.startswith("chunk"):
            return self._read_chunk()
        if self._state == "trailer":
            return self._read_trailer()
        self._take(len(self._buffer))
        return False

    def _read_head(self) -> bool:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > _HEAD_BYTES_MAX:
                raise NetworkError("The headers of the answer are too long.")
            return False
        lines = self._buffer[:end].decode("latin-1").split("\r\n")
        del self._buffer[: end + 4]
        version, _, rest = lines[0].partition(" ")
        status = rest[:3]
        if not version.startswith("HTTP/1.") or not (status.isascii() and status.isdigit()):
            raise NetworkError("The answer is not HTTP/1.1.")
        self._headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            self._headers[name.strip().lower()] = value.strip()
        self._status = int(status)
        # An interim response, such as 100 or 103, precedes the real one.
        if self._status >= 200:
            self._choose_body(version)
        return True

    def _choose_body(self, version: str) -> None:
        connection = self._headers.get("connection", "").lower()
        self.keeps_alive = version == "HTTP/1.1" and "close" not in connection
        if self._status in (204, 304):
            self._finish()
        elif "chunked" in self._headers.get("transfer-encoding", "").lower():
            self._state = "chunk"
        elif (length := self._headers.get("content-length")) is not None:
            if not (length.isascii() and length.isdigit()):
                raise NetworkError("The answer has no valid length.")
            self._state, self._left = "length", int(length)
        else:
            self._state, self.keeps_alive = "close", False

    def _read_length(self) -> bool:
        self._left -= self._take(self._left)
        if self._left == 0:
            self._finish()
        return False

    def _read_chunk(self) -> bool:
        if self._state == "chunk-data":
            self._left -= self._take(self._left)
            self._state = "chunk-data" if self._left > 0 else "chunk-end"
            return self._left == 0
        line = self._read_line()
        if line is None:
            return False
        if self._state == "chunk-end":
            if line != b"":
                raise NetworkError("The answer has an invalid chunk.")
            self._state = "chunk"
            return True
        digits = line.partition(b";")[0].strip()
        if _CHUNK_SIZE.fullmatch(digits) is None:
            raise NetworkError("The answer has an invalid chunk.")
        self._left = int(digits, 16)
        self._state = "chunk-data" if self._left > 0 else "trailer"
        return True

    def _read_trailer(self) -> bool:
        line = self._read_line()
        if line == b"":
            self._finish()
        return line is not None

    def _read_line(self) -> bytes | None:
        end = self._buffer.find(b"\r\n")
        if end < 0:
            if len(self._buffer) > _HEAD_BYTES_MAX:
                raise NetworkError("A line of the answer is too long.")
            return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 2]
        return line

    def _take(self, most: int) -> int:
        taken = bytes(self._buffer[:most])
        del self._buffer[:most]
        self._body += taken
        return len(taken)

    def _finish(self) -> None:
        # Bytes after the answer cannot belong to a request of ours.
        self.keeps_alive = self.keeps_alive and not self._buffer
        self.response = Response(self._status, self._headers, bytes(self._body))
