"""The guard: what it calls, refuses and records. The texts of evidence are those of the TypeScript
guard.
"""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
import decimal
import functools
import inspect
import json
import random
import threading
import time
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from support import RUNS, Oracle, RawServer, answer, drop, rng_for

from touchstone import (
    ApiError,
    AsyncTouchstone,
    GuardOptions,
    GuardRefusal,
    ToolCall,
    Touchstone,
    Verdict,
    call_context,
)
from touchstone.guard.evidence import CallRecord, checkpoint_of, gathered_call_of, trace_of
from touchstone.guard.gathering import Gatherer
from touchstone.guard.send_queue import SendQueue
from touchstone.guard.tool_call import to_json_object


def decision(outcome: str = "allow", **fields: Any) -> bytes:
    body = {"decision": outcome, "decision_id": "dec-1", "escalation_id": None, "reasons": []}
    return answer(200, {**body, "notices": [], **fields})


class GuardTest(unittest.TestCase):
    def client(self, *steps: Any, **options: Any) -> tuple[Touchstone, RawServer]:
        """The evidence is not sent: the service of these tests only decides."""
        server = RawServer(self, *steps)
        given = GuardOptions(record=False, **options)
        client = Touchstone(server.url, agent_id="agent-1", retries=0, guard=given)
        self.addCleanup(client._blocking_io.close)
        return client, server

    def setUp(self) -> None:
        patch = mock.patch("touchstone.guard.recorder.Recorder.report")
        self.report = patch.start()
        self.addCleanup(patch.stop)

    def asked(self, server: RawServer) -> list[Any]:
        return [json.loads(one["body"]) for one in server.requests]


class Decisions(GuardTest):
    def test_a_refusal_says_why_and_nothing_is_called(self) -> None:
        reason = {"code": "forbidden", "message": "No shell"}
        paused = {"type": "containment_error", "reason": "paused", "message": "P"}
        for given, code in (
            (decision("block", reasons=[reason, reason]), "blocked"),
            (decision("escalate", escalation_id="esc-1", reasons=[reason]), "escalated"),
            (answer(503, {}), "unavailable"),
            (drop, "unavailable"),
            (answer(200, {"decision": "allow"}), "unavailable"),
            (answer(200, []), "unavailable"),
            (answer(200, "<html>", content_type="text/html"), "unavailable"),
            (answer(403, paused), "blocked"),
        ):
            client, _ = self.client(given)
            called: list[int] = []
            with self.assertRaises(GuardRefusal) as caught:
                client.default_guard.run(ToolCall("shell_run"), lambda: called.append(1))
            self.assertEqual((caught.exception.code, called), (code, []))
        text = client.wrap_tool(lambda: "never", tool="x", refusals="return")()
        self.assertEqual(text, "x was not called: it is not allowed. P")

    def test_a_wrong_request_is_an_error_even_if_unavailable_means_allow(self) -> None:
        client, _ = self.client(answer(404, {}), when_unavailable="allow")
        with self.assertRaises(ApiError):
            client.default_guard.run(ToolCall("x"), lambda: self.fail("called"))

    def test_the_fallback_allows_only_if_told_to(self) -> None:
        client, _ = self.client(drop, when_unavailable="allow")
        self.assertEqual(client.default_guard.run(ToolCall("x"), lambda: 7), 7)
        self.assertEqual(client.default_guard.check(ToolCall("x")), Verdict("allow", "none"))

    def test_a_slow_decision_counts_as_unavailable(self) -> None:
        client, _ = self.client(lambda connection: time.sleep(1), timeout=0.1)
        with self.assertRaises(GuardRefusal) as caught:
            client.default_guard.run(ToolCall("x"), lambda: self.fail("called"))
        self.assertEqual(caught.exception.code, "unavailable")

    def test_a_full_queue_refuses_calls_while_the_service_is_away(self) -> None:
        server = RawServer(self, decision(), drop)
        options = GuardOptions(evidence_max=1, on_outcome_lost=lambda lost: None)
        client = Touchstone(server.url, agent_id="agent-1", retries=0, guard=options)
        self.addCleanup(client._blocking_io.close)
        self.addCleanup(client.default_guard._admitter.recorder.after_fork)
        self.assertEqual(client.default_guard.run(ToolCall("x"), lambda: 1), 1)
        with self.assertRaises(GuardRefusal) as caught:
            client.default_guard.run(ToolCall("x"), lambda: self.fail("called"))
        self.assertEqual(caught.exception.code, "evidence_full")


class Functions(GuardTest):
    def test_arguments_are_sent_by_name_without_self(self) -> None:
        client, server = self.client(decision())

        class Desk:
            @client.guard(tool="search")
            def search(self, order: int, *rest: str, limit: int = 3, **more: Any) -> int:
                return order

        self.assertEqual(Desk().search(7, "a", colour="red"), 7)
        wanted = {"order": 7, "rest": ["a"], "limit": 3, "colour": "red"}
        self.assertEqual(self.asked(server)[0]["arguments"], wanted)

    def test_the_signature_and_the_words_of_a_tool_are_kept(self) -> None:
        client, _ = self.client(decision())

        def refund(order: int, amount: float = 0) -> str:
            """Refund an order."""
            return "done"

        guarded = client.wrap_tool(refund)
        self.assertEqual(inspect.signature(guarded), inspect.signature(refund))
        self.assertEqual((guarded.__name__, guarded.__doc__), ("refund", "Refund an order."))
        partial = client.wrap_tool(functools.partial(refund, amount=2))
        self.assertEqual((partial.__name__, partial(1)), ("refund", "done"))

    def test_the_context_of_a_call_reaches_the_service(self) -> None:
        client, server = self.client(decision())
        search = client.wrap_tool(lambda: 1, tool="search")
        with client.session("chat-1"), call_context(justification="She asked.", thinking="Hm."):
            with call_context(escalation_id="esc-1"):
                search()
            search()
        search()
        first, second, third = self.asked(server)
        self.assertEqual((first["escalation_id"], first["justification"]), ("esc-1", "She asked."))
        self.assertEqual((second["session_id"], "escalation_id" in second), ("chat-1", False))
        self.assertNotIn("justification", third)
        self.assertTrue(third["session_id"].startswith("sess-"))
        with self.assertRaises(TypeError), call_context(tool="x"):
            self.fail("entered")

    def test_outcomes_are_reported_whatever_the_tool_does(self) -> None:
        client, _ = self.client(decision())
        guard = client.default_guard
        guard.run(ToolCall("x"), lambda: 1)
        for error in (ValueError("no"), KeyboardInterrupt(), SystemExit()):
            with self.assertRaises(type(error)):
                guard.run(ToolCall("x"), self.raises(error))
        outcomes = [call.args[1] for call in self.report.call_args_list]
        self.assertEqual(outcomes, ["succeeded", "failed", "failed", "failed"])

    def test_recording_does_not_change_the_result_of_a_call(self) -> None:
        class Silent(Exception):
            def __str__(self) -> str:
                raise RuntimeError("no text")

        client, _ = self.client(decision())
        self.report.side_effect = RuntimeError("no room")
        with self.assertLogs("touchstone", "ERROR"):
            self.assertEqual(client.default_guard.run(ToolCall("x"), lambda: 1), 1)
        mock.patch.stopall()
        client, _ = self.client(decision())
        self.addCleanup(client.default_guard._admitter.recorder.after_fork)
        with self.assertRaises(Silent):
            client.default_guard.run(ToolCall("x"), self.raises(Silent()))

    def raises(self, error: BaseException) -> Callable[[], None]:
        def work() -> None:
            raise error

        return work

    def test_coroutines_are_awaited_before_their_outcome_is_known(self) -> None:
        blocking, _ = self.client(decision())
        other = RawServer(self, decision())

        async def slow(order: int) -> int:
            await asyncio.sleep(0)
            if order < 0:
                raise LookupError("no such order")
            return order

        async def work() -> None:
            client = AsyncTouchstone(
                other.url, agent_id="agent-1", guard=GuardOptions(record=False)
            )
            for guarded in (
                blocking.wrap_tool(slow),
                blocking.wrap_tool(lambda order: slow(order), tool="slow"),
                client.wrap_tool(slow),
                client.wrap_tool(lambda order: slow(order), tool="slow"),
            ):
                self.report.reset_mock()
                self.assertEqual(await guarded(7), 7)
                with self.assertRaises(LookupError):
                    await guarded(-1)
                outcomes = [call.args[1] for call in self.report.call_args_list]
                self.assertEqual(outcomes, ["succeeded", "failed"])
            self.assertTrue(inspect.iscoroutinefunction(blocking.wrap_tool(slow)))
            self.assertEqual(await client.wrap_tool(abs, arguments_of=lambda n: {"n": n})(-3), 3)
            self.report.reset_mock()
            task = asyncio.create_task(client.wrap_tool(asyncio.sleep)(60))
            while b'"sleep"' not in other.requests[-1]["body"]:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.1)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            self.assertEqual(self.report.call_args_list[-1].args[1], "failed")
            client._async_io.close()

        asyncio.run(work())

    def test_what_cannot_be_guarded_is_refused_at_once(self) -> None:
        client, _ = self.client(decision())

        def generator() -> Iterator[int]:
            yield 1

        async def stream() -> Any:
            yield 1

        for function in (generator, stream, 7, lambda: 1):
            with self.assertRaises(TypeError):
                client.wrap_tool(function)  # type: ignore[type-var]
        with self.assertRaises(TypeError):
            client.guard(lambda: 1)  # type: ignore[arg-type]

    def test_many_threads_share_a_guard(self) -> None:
        client, server = self.client(decision())
        search = client.wrap_tool(lambda n: n, tool="search")
        results: list[int] = []
        threads = [
            threading.Thread(target=lambda n=n: results.append(search(n))) for n in range(20)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(results), list(range(20)))
        sent = sorted(one["arguments"]["n"] for one in self.asked(server))
        self.assertEqual(sent, list(range(20)))


class Arguments(unittest.TestCase):
    def test_have_a_json_form_or_are_refused(self) -> None:
        @dataclasses.dataclass
        class Order:
            number: int

        moment = datetime.datetime(2026, 3, 1, tzinfo=datetime.timezone.utc)
        given = {"a": (1, Order(2)), "b": moment, "c": decimal.Decimal("1.5"), "d": Path("/x")}
        wanted = {"a": [1, {"number": 2}], "b": moment.isoformat(), "c": "1.5", "d": "/x"}
        self.assertEqual(to_json_object(given), wanted)
        circular: dict[str, Any] = {}
        circular["self"] = circular
        for value in (float("nan"), b"x", object(), {1: 2}, {1, 2}, circular):
            with self.assertRaises(TypeError):
                to_json_object({"value": value})


class Evidence(unittest.TestCase):
    def test_is_that_of_the_typescript_guard(self) -> None:
        rng = rng_for(self)
        cases = [self.records(rng) for _ in range(40 * RUNS)]
        questions = [{"records": [self.wire(one, now) for one, now in case]} for case in cases]
        for case, answered in zip(cases, Oracle.shared().ask("gathered", questions)):
            self.assertEqual(self.gathered(case), answered["value"])

    @staticmethod
    def gathered(case: list[tuple[CallRecord, float]]) -> dict[str, Any]:
        gatherer, traces, complete = Gatherer(sessions_max=10), [], []
        for index, (record, now) in enumerate(case):
            call = gathered_call_of(record)
            checkpoint_id, done = gatherer.add(call, record.session_id, f"ic-{index}", now)
            traces.append(trace_of(record, checkpoint_id))
            complete += done
        complete += gatherer.end()
        return {
            "traces": traces,
            "checkpoints": [checkpoint_of("agent-1", one) for one in complete],
        }

    def records(self, rng: random.Random) -> list[tuple[CallRecord, float]]:
        now, case = 0.0, []
        for index in range(rng.randrange(1, 70)):
            now += rng.choice([0, 0, 1, 20])
            case.append((self.record(rng, index), now))
        return case

    @staticmethod
    def record(rng: random.Random, index: int) -> CallRecord:
        texts = [None, "", "  ", "Why not? " * rng.randrange(30), "é😀\0x", "\ud800" + "a" * 300]
        numbers = [1.0, 2**70, -0.0]
        arguments = [None, {}, {"order": index}, {"text": rng.choice(texts), "n": numbers}]
        outcome, escalation = rng.choice(["allow"] * 9 + ["warn", "escalate", "block"]), None
        if outcome == "escalate" or rng.random() < 0.05:
            escalation = "esc-1"
        reasons = [{"code": "x", "message": "Because"}] * rng.randrange(3)
        decision_id = rng.choice([None, f"dec-{index}", f"dec-{index}"])
        return CallRecord(
            agent_id="agent-1",
            session_id="s1",
            trace_id=f"tr-{index}",
            call=ToolCall(
                tool=rng.choice(["search", "s\ud800", "t" * 300]),
                arguments=rng.choice(arguments),
                action=rng.choice([None, "refund"]),
                justification=rng.choice(texts),
                thinking=rng.choice(texts),
            ),
            verdict=Verdict(outcome, "service", reasons, decision_id, escalation),
            replaced_ids=rng.choice([[], [], [f"old-{index}"]]),
            approval=rng.choice([None, "approved", "denied"]),
            outcome=rng.choice(["succeeded", "failed", "refused"]),
            values=["honesty"],
            record_arguments=rng.random() < 0.3,
            at=datetime.datetime.fromtimestamp(rng.randrange(2 * 10**9), datetime.timezone.utc),
        )

    @staticmethod
    def wire(record: CallRecord, now: float) -> dict[str, Any]:
        call = {
            "tool": record.call.tool,
            "arguments": record.call.arguments,
            "action": record.call.action,
            "justification": record.call.justification,
            "thinking": record.call.thinking,
            "sessionId": record.session_id,
        }
        verdict = record.verdict
        return {
            "agentId": record.agent_id,
            "traceId": record.trace_id,
            "call": {name: value for name, value in call.items() if value is not None},
            "verdict": {
                "decision": verdict.decision,
                "source": verdict.source,
                "reasons": verdict.reasons,
                "decisionId": verdict.decision_id,
                "escalationId": verdict.escalation_id,
                "notices": [],
            },
            "replacedIds": record.replaced_ids,
            **({} if record.approval is None else {"approval": record.approval}),
            "outcome": record.outcome,
            "values": record.values,
            "recordArguments": record.record_arguments,
            "at": int(record.at.timestamp() * 1000),
            "nowMs": now * 1000,
        }


class Queues(unittest.TestCase):
    def setUp(self) -> None:
        self.now = 0.0
        self.sent: list[list[int]] = []
        self.errors: list[Exception] = []
        self.evicted: list[int] = []
        self.fail = False

    def queue(self, most: int = 1000) -> SendQueue[int]:
        def send(batch: list[int]) -> None:
            if self.fail:
                raise ConnectionError("away")
            self.sent.append(list(batch))

        return SendQueue(
            most=most,
            batch_max=50,
            send=send,
            on_evicted=self.evicted.append,
            on_delayed=self.errors.append,
            clock=lambda: self.now,
        )

    def test_send_once_calls_pause_and_after_two_seconds_at_the_latest(self) -> None:
        queue = self.queue()
        for at in (0, 0.1, 0.2, 1.0, 1.9):
            self.now = at
            queue.add(int(at * 10))
            self.assertAlmostEqual(queue.due() or 0, min(at + 0.2, 2.0))
        queue.flush()
        self.assertEqual((self.sent, queue.due(), len(queue)), ([[0, 1, 2, 10, 19]], None, 0))

    def test_send_in_batches_and_at_once_if_many_wait(self) -> None:
        queue = self.queue()
        for number in range(500):
            queue.add(number)
        self.assertEqual(queue.due(), 0.0)
        queue.flush()
        self.assertEqual([len(batch) for batch in self.sent], [50] * 10)

    def test_back_off_and_keep_what_could_not_be_sent(self) -> None:
        queue, self.fail = self.queue(most=2), True
        queue.add(1)
        for wanted in (1, 2, 4, 8, 16, 32, 60, 60):
            with self.assertRaises(ConnectionError):
                queue.flush()
            self.assertEqual(queue.due(), self.now + wanted)
        queue.add(2)
        queue.add(3)
        self.assertEqual((self.evicted, queue.due(), len(self.errors)), ([1], self.now + 60, 8))
        self.fail = False
        queue.flush()
        self.assertEqual((self.sent, queue.due()), ([[2, 3]], None))

    def test_survive_a_callback_that_fails(self) -> None:
        queue, self.fail = self.queue(), True
        queue._on_delayed = lambda error: 1 / 0
        queue.add(1)
        with self.assertRaises(ConnectionError), self.assertLogs("touchstone", "ERROR"):
            queue.flush()
        self.assertEqual(len(queue), 1)


if __name__ == "__main__":
    unittest.main()
