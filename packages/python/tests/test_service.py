"""Against a real service, which tools/test-python.mjs starts."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
import unittest
import uuid
from pathlib import Path
from typing import Any

from touchstone import (
    ApiError,
    AsyncTouchstone,
    GuardOptions,
    GuardRefusal,
    ToolCall,
    Touchstone,
    call_context,
)
from touchstone.verify import hash_canonical, verify_bundle, verify_certificate, verify_receipt

CARD = {
    "principal": {"type": "organization", "relationship": "delegated_authority"},
    "values": {"declared": ["transparency", "honesty"]},
    "autonomy_envelope": {
        "bounded_actions": ["search_orders", "refund"],
        "forbidden_actions": ["share_customer_data"],
    },
    "audit_commitment": {"retention_days": 90, "queryable": False},
}

POLICY = """
meta: {schema_version: "1.0", name: Shop desk, scope: agent}
capability_mappings:
  orders: {tools: [shop_search], card_actions: [search_orders]}
  refunds: {tools: [shop_refund], card_actions: [refund]}
forbidden:
  - {pattern: shell_*, reason: No shell, severity: critical}
escalation_triggers:
  - {condition: "tool == 'shop_refund'", action: escalate, reason: Refunds need approval}
defaults: {enforcement_mode: enforce, unmapped_tool_action: block, grace_period_hours: 0}
"""

WARM_UP = "warm-up"


def service_url() -> str:
    url = os.environ.get("TOUCHSTONE_TEST_URL")
    if url is None:
        raise RuntimeError("run these tests with npm run test:python")
    return url


class ServiceTest(unittest.TestCase):
    url: str
    owner: Touchstone
    approver: Touchstone

    @classmethod
    def setUpClass(cls) -> None:
        cls.url = service_url()
        credentials = json.loads(os.environ["TOUCHSTONE_TEST_CREDENTIALS"])
        cls.owner = Touchstone(cls.url, credentials["api_key"])
        cls.addClassCleanup(cls.owner.close)
        body = {name: credentials[name] for name in ("email", "password")}
        session = cls.owner.request("POST", "/v1/auth/login", body=body)
        cls.approver = Touchstone(cls.url, session["access_token"])
        cls.addClassCleanup(cls.approver.close)

    def new_agent(self) -> tuple[str, str]:
        """An agent and a key that is bound to it."""
        agent_id = f"desk-{uuid.uuid4().hex[:12]}"
        self.owner.request("POST", "/v1/agents", body={"agent_id": agent_id, "card": CARD})
        path = "/v1/agents/{agent_id}/policy"
        self.owner.request("PUT", path, params={"agent_id": agent_id}, body=POLICY)
        key = {"agent_id": agent_id, "role": "member", "client": "sdk"}
        scopes = ["decide", "ingest", "read"]
        created = self.approver.request("POST", "/v1/api-keys", body={**key, "scopes": scopes})
        self.warm_up(agent_id, created["key"])
        return agent_id, created["key"]

    def warm_up(self, agent_id: str, key: str) -> None:
        """Loads the policy: on a busy machine that can take longer than a decision waits for it."""
        with Touchstone(self.url, key, agent_id=agent_id) as client:
            for _ in range(50):
                decision = client.decide("shop_search", session_id=WARM_UP)
                if decision["decision"] == "allow":
                    return
        self.fail("the policy could not be evaluated")

    def client(self, **options: Any) -> Touchstone:
        agent_id, key = self.new_agent()
        client = Touchstone(self.url, key, agent_id=agent_id, **options)
        self.addCleanup(client.close)
        return client

    def checkpoints(self, agent_id: str | None) -> list[Any]:
        """Oldest first."""
        path = "/v1/agents/{agent_id}/checkpoints"
        return list(self.owner.items(path, params={"agent_id": agent_id or ""}))[::-1]

    def decisions(self, agent_id: str | None) -> list[Any]:
        """Oldest first, read in small pages."""
        query = {"agent_id": agent_id, "limit": 3, "decision": ["allow", "block", "escalate"]}
        listed = self.owner.cursor_items("/v1/decisions", query=query)
        return [one for one in listed if one["session_id"] != WARM_UP][::-1]

    def outcomes(self, agent_id: str | None) -> list[tuple[str, str]]:
        return [
            (one["tool"], (one["outcome"] or {}).get("status", "none"))
            for one in self.decisions(agent_id)
        ]


class Operations(ServiceTest):
    def test_a_bound_key_names_its_agent(self) -> None:
        agent_id, key = self.new_agent()
        with Touchstone(self.url, key) as client:
            self.assertEqual(client.decide("shop_search")["decision"], "allow")
            guard = client.create_guard()
            self.assertEqual(guard.run(ToolCall("shop_search"), lambda: "found"), "found")
            guard.flush()
            with self.assertRaises(ValueError):
                client.checkpoint({"output": "shop_search({})"})
        self.assertEqual(len(self.decisions(agent_id)), 2)
        self.assertEqual(self.outcomes(agent_id)[1], ("shop_search", "executed"))
        self.assertEqual(len(self.checkpoints(agent_id)), 1)

    def test_decide_report_and_verify_the_receipt(self) -> None:
        client = self.client()
        arguments = {"order": 1182, "note": "Grüße 😀", "amount": 1.0}
        decision = client.decide("shop_search", arguments, session_id="s1")
        self.assertEqual(decision["decision"], "allow")
        keys = client.request("GET", "/v1/keys")["keys"]
        receipt = verify_receipt(decision["receipt"], keys)
        self.assertTrue(receipt.valid, receipt.fault)
        assert receipt.statement is not None
        self.assertEqual(receipt.statement["arguments_hash"], hash_canonical(arguments))
        client.outcome(decision["decision_id"], "executed", duration_ms=12.5)
        with self.assertRaises(ApiError) as caught:
            client.outcome(decision["decision_id"], "failed", error="no")
        self.assertEqual((caught.exception.status, caught.exception.code), (409, "conflict"))

    def test_huge_numbers_in_arguments_have_the_hash_of_the_service(self) -> None:
        client = self.client()
        arguments = {"n": 2**53, "m": 602 * 10**21, "z": -0.0, "e": 1e21, "😀": 1, "\ue000": 2}
        decision = client.decide("shop_search", arguments)
        statement = decision["receipt"]["statement"]
        self.assertEqual(statement["arguments_hash"], hash_canonical(arguments))
        for rounded in (2**53 + 1, 2**70, 10**400):
            with self.assertRaises(ApiError) as caught:
                client.decide("shop_search", {"n": rounded})
            self.assertEqual(caught.exception.status, 400)
        for value in (float("nan"), object(), {1: 2}):
            with self.assertRaises(TypeError):
                client.decide("shop_search", {"n": value})

    def test_a_checkpoint_has_a_certificate_that_verifies(self) -> None:
        client = self.client()
        text = "The customer asks where the order is, so I look it up in the depot's list. " * 8
        sent = client.checkpoint({"thinking": text, "output": "shop_search({})"})
        checkpoint_id = sent["checkpoint"]["checkpoint_id"]
        path = "/v1/checkpoints/{checkpoint_id}/certificate"
        certificate = client.request("GET", path, params={"checkpoint_id": checkpoint_id})
        keys = client.request("GET", "/v1/keys")["keys"]
        result = verify_certificate(certificate, keys)
        self.assertTrue(result.valid, result.details)
        self.assertEqual(certificate["version"], "1.1.0")

    def test_a_reputation_without_evidence_does_not_pass_the_gate(self) -> None:
        client = self.client()
        self.assertIsNone(client.reputation()["score"])
        outcome = client.reputation_gate(min_score=600)(client._agent_id or "")
        wanted = [
            "The agent has no score yet.",
            "The agent has no assurance level yet; at least 1 (recorded) is needed.",
        ]
        self.assertEqual((outcome.allowed, outcome.reasons), (False, wanted))
        unknown = client.reputation_gate(min_grade="BBB")("nobody-at-all")
        self.assertEqual(unknown.reasons, ["The agent was not found."])

    def test_lists_are_read_page_by_page(self) -> None:
        client = self.client()
        asked = [client.decide("shop_search")["decision_id"] for _ in range(5)]
        listed = [one["decision_id"] for one in self.decisions(client._agent_id)]
        self.assertEqual(listed, asked)
        pages = list(self.owner.items("/v1/agents", query={"per_page": 1}))
        identities = [one["agent_id"] for one in pages]
        self.assertIn(client._agent_id, identities)
        self.assertEqual(len(set(identities)), len(identities))
        rest = self.owner.items("/v1/agents", query={"limit": 2, "offset": 1})
        self.assertEqual([one["agent_id"] for one in rest], identities[1:])

    def test_asyncio_does_the_same(self) -> None:
        agent_id, key = self.new_agent()

        async def work() -> None:
            async with AsyncTouchstone(self.url, key, agent_id=agent_id) as client:
                decisions = await asyncio.gather(*(client.decide("shop_search") for _ in range(20)))
                reasons = [one["reasons"] for one in decisions if one["decision"] != "allow"]
                self.assertEqual(reasons, [])
                await client.outcome(decisions[0]["decision_id"], "executed")
                query = {"agent_id": agent_id, "limit": 7}
                listed = [one async for one in client.cursor_items("/v1/decisions", query=query)]
                identities = {one["decision_id"] for one in listed}
                self.assertLessEqual({one["decision_id"] for one in decisions}, identities)
                self.assertIsNone((await client.reputation())["score"])
                gate = client.reputation_gate(min_score=1)
                self.assertFalse((await gate(agent_id)).allowed)

        asyncio.run(work())


class Guards(ServiceTest):
    def test_a_function_is_called_only_if_allowed_and_recorded(self) -> None:
        client = self.client()
        called: list[str] = []

        @client.guard(tool="shop_search", action="search_orders")
        def search(order: int, *, verbose: bool = False) -> str:
            called.append("search")
            return f"order {order} is in the depot"

        @client.guard(tool="shell_run")
        def shell(command: str) -> str:
            called.append("shell")
            return command

        @client.guard(tool="shop_search")
        def broken() -> None:
            raise LookupError("no such order")

        with client.session("chat-18"):
            self.assertEqual(search(1182), "order 1182 is in the depot")
            with call_context(thinking="The shell would be quicker."):
                with self.assertRaises(GuardRefusal) as caught:
                    shell("ls")
            with self.assertRaisesRegex(LookupError, "no such order"):
                broken()
        message = "shell_run was not called: it is not allowed. No shell"
        self.assertEqual(str(caught.exception), message)
        self.assertEqual((caught.exception.code, called), ("blocked", ["search"]))
        client.default_guard.flush()
        self.assertEqual(client.default_guard.pending(), 0)
        wanted = [("shop_search", "executed"), ("shell_run", "not_executed")]
        self.assertEqual(self.outcomes(client._agent_id), [*wanted, ("shop_search", "failed")])
        checkpoints = self.checkpoints(client._agent_id)
        # The refused call completed the first one; the end of the session the second.
        self.assertEqual([len(one["decision_ids"]) for one in checkpoints], [2, 1])
        self.assertEqual({one["provenance"] for one in checkpoints}, {"relayed"})
        self.assertEqual({one["session_id"] for one in checkpoints}, {"chat-18"})
        query = {"agent_id": client._agent_id}
        traces = list(self.owner.items("/v1/traces", query=query))
        actions = sorted(f"{one['action']['type']} {one['action']['name']}" for one in traces)
        wanted_actions = ["deny shell_run", "execute search_orders", "execute shop_search"]
        self.assertEqual(actions, wanted_actions)

    def test_twelve_short_calls_make_one_checkpoint_at_the_end_of_the_session(self) -> None:
        client = self.client()

        @client.guard(tool="shop_search")
        def search(order: int) -> int:
            return order

        with client.session():
            for order in range(12):
                search(order)
        client.default_guard.flush()
        checkpoints = self.checkpoints(client._agent_id)
        self.assertEqual([len(one["decision_ids"]) for one in checkpoints], [12])

    def test_a_person_approves_and_the_call_is_repeated(self) -> None:
        client = self.client()

        @client.guard(tool="shop_refund", action="refund")
        def refund(order: int, amount: float) -> str:
            return f"refunded {amount}"

        with self.assertRaises(GuardRefusal) as caught:
            refund(1182, 20)
        escalation_id = caught.exception.escalation_id
        self.assertEqual(caught.exception.code, "escalated")
        path = "/v1/escalations/{escalation_id}/resolve"
        params = {"escalation_id": escalation_id or ""}
        self.approver.request("POST", path, params=params, body={"outcome": "approve"})
        with call_context(escalation_id=escalation_id):
            self.assertEqual(refund(1182, 20), "refunded 20")

    def test_a_call_can_wait_for_the_approval(self) -> None:
        options = GuardOptions(wait_for_approval=30, poll_seconds=0.05)
        agent_id, key = self.new_agent()

        async def approve() -> None:
            path = "/v1/escalations"
            while not (found := self.owner.request("GET", path, query={"agent_id": agent_id})):
                await asyncio.sleep(0.05)
            while not found["escalations"]:
                await asyncio.sleep(0.05)
                found = self.owner.request("GET", path, query={"agent_id": agent_id})
            params = {"escalation_id": found["escalations"][0]["escalation_id"]}
            resolve = "/v1/escalations/{escalation_id}/resolve"
            body = {"outcome": "approve"}
            self.approver.request("POST", resolve, params=params, body=body)

        async def work() -> tuple[Any, None]:
            async with AsyncTouchstone(self.url, key, agent_id=agent_id, guard=options) as client:

                @client.guard(tool="shop_refund")
                async def refund(amount: float) -> str:
                    return f"refunded {amount}"

                async with client.session("chat-19"):
                    return await asyncio.gather(refund(20), approve())

        self.assertEqual(asyncio.run(work())[0], "refunded 20")
        wanted = [("shop_refund", "not_executed"), ("shop_refund", "executed")]
        self.assertEqual(self.outcomes(agent_id), wanted)
        (checkpoint,) = self.checkpoints(agent_id)
        self.assertEqual(len(checkpoint["decision_ids"]), 2)

    def test_a_paused_agent_is_blocked(self) -> None:
        client = self.client()
        org_id = self.owner.request("GET", f"/v1/agents/{client._agent_id}")["org_id"]
        path = f"/v1/orgs/{org_id}/agents/{client._agent_id}/pause"
        self.approver.request("POST", path, body={"reason": "looking into it"})
        guarded = client.wrap_tool(lambda: "never", tool="shop_search", refusals="return")
        self.assertIn("shop_search was not called: it is not allowed.", guarded())
        with self.assertRaises(ApiError) as caught:
            client.decide("shop_search")
        self.assertEqual(caught.exception.status, 403)

    def test_a_program_that_just_ends_has_sent_everything(self) -> None:
        agent_id, key = self.new_agent()
        program = """
import sys
from touchstone import Touchstone
client = Touchstone(sys.argv[1], sys.argv[2], agent_id=sys.argv[3])
@client.guard(tool="shop_search")
def search(order):
    return order
search(1)
"""
        command = [sys.executable, "-c", program, self.url, key, agent_id]
        subprocess.run(command, check=True, env=_environment())
        self.assertEqual(self.outcomes(agent_id), [("shop_search", "executed")])
        self.assertEqual(len(self.checkpoints(agent_id)), 1)

    def test_forked_processes_share_neither_connections_nor_records(self) -> None:
        agent_id, key = self.new_agent()
        program = """
import os, sys
from touchstone import Touchstone
client = Touchstone(sys.argv[1], sys.argv[2], agent_id=sys.argv[3])
@client.guard(tool="shop_search")
def search(order):
    return order
search(0)
children = []
for number in range(1, 4):
    child = os.fork()
    if child == 0:
        for _ in range(3):
            search(number)
        client.default_guard.flush()
        os._exit(0)
    children.append(child)
search(0)
assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
client.close()
"""
        command = [sys.executable, "-W", "ignore", "-c", program, self.url, key, agent_id]
        subprocess.run(command, check=True, env=_environment(), timeout=60)
        self.assertEqual(self.outcomes(agent_id), [("shop_search", "executed")] * 11)
        named = [one for point in self.checkpoints(agent_id) for one in point["decision_ids"]]
        self.assertEqual((len(named), len(set(named))), (11, 11))


class Evidence(ServiceTest):
    def test_a_bundle_is_recomputed_from_the_service(self) -> None:
        client = self.client()
        words = ["order", "depot", "customer", "parcel", "address", "refund", "delivery", "invoice"]
        checkpoints = [
            {
                "agent_id": client._agent_id,
                "session_id": f"s{number % 6}",
                "thinking": " ".join(
                    f"{words[(number * 7 + at * 3) % 8]}{(number * at) % 17} is looked at closely."
                    for at in range(16)
                ),
                "output": f"shop_search({number})",
            }
            for number in range(55)
        ]
        for start in range(0, 55, 50):
            body = {"checkpoints": checkpoints[start : start + 50]}
            self.owner.request("POST", "/v1/checkpoints/batch", body=body)
        deadline = time.monotonic() + 60
        while self.owner.reputation(client._agent_id)["score"] is None:
            self.assertLess(time.monotonic(), deadline, "no score was computed")
            time.sleep(0.2)
        keys = client.request("GET", "/v1/keys")["keys"]
        lines = self.owner.bundle(client._agent_id)
        result = verify_bundle(lines, keys)
        self.assertEqual((result.ok, result.faults), (True, []))
        score = self.owner.reputation(client._agent_id)
        assert result.recomputed is not None
        self.assertEqual(result.recomputed.score, score["score"])
        self.assertEqual(result.recomputed.assured_score, score["assured_score"])


def _environment() -> dict[str, str]:
    source = Path(__file__).resolve().parents[1] / "src"
    return {**os.environ, "PYTHONPATH": str(source)}


if __name__ == "__main__":
    unittest.main()
