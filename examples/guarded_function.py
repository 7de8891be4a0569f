"""Guards plain functions in Python: each call needs a decision first and is recorded afterwards.

Needs no model. Run it with PYTHONPATH=packages/python/src, unless touchstone-sdk is installed.
"""

import json
import os
from pathlib import Path

from touchstone import ApiError, GuardOptions, GuardRefusal, Touchstone, call_context

AGENT_ID = "example-python-desk"

CARD = {
    "principal": {"type": "organization", "relationship": "delegated_authority"},
    "values": {"declared": ["transparency", "honesty"]},
    "autonomy_envelope": {"bounded_actions": ["search_orders", "refund"]},
    "audit_commitment": {"retention_days": 90, "queryable": False},
}

POLICY = """
meta: {schema_version: "1.0", name: Python desk, scope: agent}
capability_mappings:
  orders: {tools: [shop_search], card_actions: [search_orders]}
  refunds: {tools: [shop_refund], card_actions: [refund]}
forbidden:
  - {pattern: shell_*, reason: No shell, severity: critical}
escalation_triggers:
  - {condition: "tool == 'shop_refund'", action: escalate, reason: Refunds need approval}
defaults: {enforcement_mode: enforce, unmapped_tool_action: block, grace_period_hours: 0}
"""


def credentials() -> tuple[str, str]:
    """Reads the environment, or the file that the service writes on its first start."""
    url, key = os.environ.get("TOUCHSTONE_URL"), os.environ.get("TOUCHSTONE_API_KEY")
    if url and key:
        return url, key
    file = Path(__file__).parent.parent / ".touchstone" / "credentials.json"
    stored = json.loads(file.read_text())
    return stored["base_url"], stored["api_key"]


url, key = credentials()
options = GuardOptions(on_decision=lambda verdict, call: print(f"{call.tool}: {verdict.decision}"))
client = Touchstone(url, key, agent_id=AGENT_ID, guard=options)

try:
    client.request("POST", "/v1/agents", body={"agent_id": AGENT_ID, "card": CARD})
except ApiError as error:
    # An earlier run has registered it.
    if error.code != "conflict":
        raise
path = "/v1/agents/{agent_id}/policy"
client.request("PUT", path, params={"agent_id": AGENT_ID}, body=POLICY)


@client.guard(tool="shop_search", action="search_orders")
def search(order: int) -> str:
    return f"order {order} is in the depot"


@client.guard(tool="shop_refund", action="refund")
def refund(order: int, amount: float) -> str:
    return f"refunded {amount}"


@client.guard(tool="shell_run")
def shell(command: str) -> str:
    return f"ran {command}"


with client.session():
    print(search(1182))

    try:
        shell("rm -rf /")
    except GuardRefusal as refusal:
        print(refusal)

    try:
        refund(1182, 20)
    except GuardRefusal as refusal:
        print(refusal)
        # A person approves, in the dashboard or with a credential of their own: the key that asked
        # cannot.
        token = os.environ.get("TOUCHSTONE_APPROVER")
        if token is None:
            print("Approve it in the dashboard, or set TOUCHSTONE_APPROVER to a key that may")
        else:
            path = "/v1/escalations/{escalation_id}/resolve"
            params = {"escalation_id": refusal.escalation_id or ""}
            approver = Touchstone(url, token)
            approver.request("POST", path, params=params, body={"outcome": "approve"})
            with call_context(escalation_id=refusal.escalation_id):
                print(refund(1182, 20))

client.close()
traces = client.request("GET", "/v1/traces", query={"agent_id": AGENT_ID, "per_page": 4})["traces"]
for trace in traces:
    print(f"recorded: {trace['action']['type']} {trace['action']['name']}")
