"""Requests: retries, deadlines, idempotency, credentials, and answers that are not what they should
be.
"""

from __future__ import annotations

import asyncio
import socket
import time
import unittest
from collections.abc import Callable
from typing import Any
from unittest import mock

from support import RawServer, answer, drop

from touchstone import (
    ApiError,
    AsyncTouchstone,
    DeadlineExceeded,
    NetworkError,
    Touchstone,
    TouchstoneError,
)
from touchstone._http import ResponseReader, read_origin
from touchstone._retry import retry_delay

BUSY = answer(409, {"error": "idempotency_in_progress", "message": "Wait."})
DECIDED = answer(200, {"decision": "allow"})


def no_wait() -> Any:
    return mock.patch("touchstone._core.random.random", return_value=0.0)


class BothClients(unittest.TestCase):
    """Each test runs with the blocking client and with the one for asyncio."""

    def each(self, *steps: Any, **options: Any) -> list[tuple[RawServer, Callable[..., Any]]]:
        blocking = RawServer(self, *steps)
        client = Touchstone(blocking.url + "/", **options)
        self.addCleanup(client.close)
        other = RawServer(self, *steps)

        def in_loop(*args: Any, **kwargs: Any) -> Any:
            async def work() -> Any:
                async with AsyncTouchstone(other.url, **options) as one:
                    return await one.request(*args, **kwargs)

            return asyncio.run(work())

        return [(blocking, client.request), (other, in_loop)]

    def test_a_post_is_sent_again_with_the_same_key_until_it_is_answered(self) -> None:
        for server, request in self.each(drop, BUSY, DECIDED):
            with no_wait():
                decided = request("POST", "/v1/gateway/decide", body={"tool": "search"})
            self.assertEqual(decided, {"decision": "allow"})
            keys = [one["headers"]["idempotency-key"] for one in server.requests]
            self.assertEqual((len(keys), len(set(keys))), (3, 1))

    def test_the_last_error_is_raised_once_retries_are_exhausted(self) -> None:
        for server, request in self.each(answer(500), drop, answer(503, {}, x_request_id="r1")):
            with no_wait(), self.assertRaises(ApiError) as caught:
                request("GET", "/v1/agents")
            self.assertEqual((caught.exception.status, len(server.requests)), (503, 3))
            self.assertEqual(caught.exception.request_id, "r1")

    def test_only_gets_and_posts_with_a_key_are_retried(self) -> None:
        for server, request in self.each(drop):
            for method, path in (("PUT", "/v1/x"), ("DELETE", "/v1/x"), ("POST", "/v1/auth/login")):
                with self.assertRaises(NetworkError):
                    request(method, path, body={})
            self.assertEqual(len(server.requests), 3)
            self.assertTrue(
                all("idempotency-key" not in one["headers"] for one in server.requests)
            )
        for server, request in self.each(answer(500), retries=0):
            with self.assertRaises(ApiError):
                request("POST", "/v1/gateway/decide", body={})
            self.assertEqual(len(server.requests), 1)
            self.assertNotIn("idempotency-key", server.requests[0]["headers"])

    def test_a_request_has_its_parts_in_their_places(self) -> None:
        options = {"token": "tsk_1", "org_id": "org-1"}
        for server, request in self.each(answer(200), **options):
            query = {"session_id": "s&1", "page": 2, "flag": True, "to": None, "tool": ["a*", "b"]}
            request("GET", "/v1/agents/{agent_id}/x", params={"agent_id": "a/b c?ü"}, query=query)
            path = "/v1/agents/a%2Fb%20c%3F%C3%BC/x"
            target = f"{path}?session_id=s%261&page=2&flag=true&tool=a%2A&tool=b"
            self.assertEqual(server.requests[0]["target"], target)
            headers = server.requests[0]["headers"]
            wanted = {"authorization": "Bearer tsk_1", "x-org-id": "org-1"}
            self.assertLessEqual(wanted.items(), headers.items())
            self.assertNotIn("content-type", headers)

    def test_nothing_is_sent_that_would_mean_something_else(self) -> None:
        for server, request in self.each(answer(200)):
            for call in (
                {"path": "/v1/agents/{agent_id}", "params": {"agent_id": ""}},
                {"path": "/v1/agents", "headers": {"x-a": "1\r\nx-b: 2"}},
                {"path": "/v1/agents", "headers": {"x-a": "€"}},
                {"path": "/v1/agents", "body": {"n": float("nan")}},
            ):
                with self.assertRaises(ValueError):
                    request("PUT", **call)
            self.assertEqual(server.requests, [])

    def test_a_page_of_a_proxy_is_an_error_with_a_code(self) -> None:
        page = answer(404, None, content_type="text/html")
        for _, request in self.each(page):
            with self.assertRaises(ApiError) as caught:
                request("GET", "/v1/agents")
            self.assertEqual(caught.exception.code, "not_found")
            self.assertEqual(str(caught.exception), "The service answered 404.")

    def test_the_deadline_covers_an_answer_that_arrives_in_drops(self) -> None:
        def drip(connection: socket.socket) -> None:
            try:
                while True:
                    connection.sendall(b"H")
                    time.sleep(0.02)
            except OSError:
                return

        for _, request in self.each(drip):
            start = time.monotonic()
            with self.assertRaises(DeadlineExceeded):
                request("GET", "/v1/agents", timeout=0.2)
            self.assertLess(time.monotonic() - start, 5)

    def test_the_deadline_covers_retries(self) -> None:
        wait = answer(503, {}, retry_after="30")
        for server, request in self.each(wait):
            with self.assertRaises(DeadlineExceeded):
                request("GET", "/v1/agents", timeout=1)
            self.assertEqual(len(server.requests), 1)

    def test_a_token_is_renewed_once(self) -> None:
        renewals: list[int] = []

        def renew() -> str:
            renewals.append(1)
            return "fresh"

        options = {"token": "stale", "on_unauthorised": renew}
        for server, request in self.each(answer(401, {}), answer(200, {"a": 1}), **options):
            self.assertEqual(request("PUT", "/v1/x", body={}), {"a": 1})
            tokens = [one["headers"]["authorization"] for one in server.requests]
            self.assertEqual(tokens, ["Bearer stale", "Bearer fresh"])
        self.assertEqual(len(renewals), 2)

    def test_what_is_not_http_or_not_json_is_a_network_error(self) -> None:
        for garbage in (
            b"nonsense\r\n\r\n",
            b"HTTP/1.1 abc X\r\n\r\n",
            b"HTTP/1.1 200 X\r\ncontent-length: -1\r\n\r\n",
            b"HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n",
            b"HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n-5\r\nabcde\r\n0\r\n\r\n",
            b"HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
            b"HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n" + b"1" * 70_000,
            b"HTTP/1.1 200 X\r\ncontent-type: application/json\r\ncontent-length: 3\r\n\r\nNaN",
            b"x" * 70_000,
        ):
            for _, request in self.each(garbage, retries=0):
                with self.assertRaises(NetworkError):
                    request("GET", "/v1/agents")


class Connections(unittest.TestCase):
    def test_are_used_again_and_replaced_when_the_server_closed_them(self) -> None:
        closing = answer(200, {}, connection="close")
        server = RawServer(self, answer(200, {}), answer(200, {}), closing, answer(200, {}))
        with Touchstone(server.url, retries=0) as client:
            for _ in range(4):
                client.request("PUT", "/v1/x", body={})
        self.assertEqual(server.connections, 2)

    def test_a_service_that_is_not_there_is_a_network_error(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        with Touchstone(f"http://127.0.0.1:{port}", retries=0) as client:
            with self.assertRaises(NetworkError) as caught:
                client.request("GET", "/v1/agents")
        self.assertIsInstance(caught.exception, (TouchstoneError, ConnectionError))

    def test_addresses_are_checked(self) -> None:
        for url in ("trust.example.com", "ftp://x", "http://", "https://a:b@x", "https://x?q=1"):
            with self.assertRaises(ValueError):
                Touchstone(url)
        origin = read_origin("https://[::1]:8443/base/")
        parts = (origin.host, origin.port, origin.authority, origin.prefix)
        self.assertEqual(parts, ("::1", 8443, "[::1]:8443", "/base"))


class Responses(unittest.TestCase):
    def test_are_the_same_however_the_bytes_arrive(self) -> None:
        head = b"HTTP/1.1 103 Early\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\n"
        chunked = head + b"Transfer-Encoding: chunked\r\n\r\n"
        chunked += b"4;a=b\r\nWiki\r\nD\r\npedia in\r\n\r\nc\r\n0\r\nx: y\r\n\r\n"
        sized = head + b"Content-Length: 17\r\n\r\nWikipedia in\r\n\r\nc"
        for data in (chunked, sized):
            for size in range(1, len(data) + 1):
                reader = ResponseReader()
                for start in range(0, len(data), size):
                    reader.feed(data[start : start + size])
                assert reader.response is not None
                self.assertEqual(reader.response.body, b"Wikipedia in\r\n\r\nc")
                self.assertTrue(reader.keeps_alive)

    def test_end_with_the_connection_if_they_have_no_length(self) -> None:
        reader = ResponseReader()
        reader.feed(b"HTTP/1.1 200 OK\r\n\r\nab")
        self.assertIsNone(reader.response)
        reader.feed(b"")
        assert reader.response is not None
        self.assertEqual((reader.response.body, reader.keeps_alive), (b"ab", False))
        cut = ResponseReader()
        cut.feed(b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nab")
        with self.assertRaises(NetworkError):
            cut.feed(b"")


class Backoff(unittest.TestCase):
    def test_is_that_of_the_typescript_sdk(self) -> None:
        unavailable = ApiError(503, "unavailable", "", retry_after=7)
        for error, attempt, wanted in (
            (NetworkError(), 0, 0.25),
            (NetworkError(), 3, 2.0),
            (NetworkError(), 10, 8.0),
            (unavailable, 0, 7.25),
            (ApiError(429, "rate_limited", ""), 1, 0.5),
            (ApiError(409, "idempotency_in_progress", ""), 0, 0.25),
            (ApiError(429, "rate_limited", "", retry_after=61), 0, None),
            (ApiError(400, "invalid_request", ""), 0, None),
            (DeadlineExceeded(), 0, None),
        ):
            self.assertEqual(retry_delay(error, attempt, 1.0), wanted)
        self.assertEqual(retry_delay(unavailable, 0, 0.0), 7.0)

    def test_reads_dates_and_ignores_nonsense(self) -> None:
        for text, low, high in (
            ("7", 7, 7),
            ("Wed, 21 Oct 2015 07:28:00 GMT", 0, 0),
            ("soon", None, None),
            ("9" * 5000, None, None),
        ):
            server = RawServer(self, answer(400, {}, retry_after=text))
            with Touchstone(server.url) as client, self.assertRaises(ApiError) as caught:
                client.request("GET", "/v1/agents")
            self.assertEqual(caught.exception.retry_after, low if low == high else None)


if __name__ == "__main__":
    unittest.main()
