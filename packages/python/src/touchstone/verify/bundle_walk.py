"""Checks the checkpoints of a bundle in order: chain, tree, and the figures that follow from them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from .assurance import BURST_FLAGS, NOVELTY_FLAGS, AssuranceDays, AssuranceInput
from .certificate import chain_hash, combined_commitment, record_hash
from .encoding import hex_to_bytes, is_hash_hex, parse_instant
from .merkle import MerkleEdge, leaf_hash
from .recount import AnalysedHour, CountedCheckpoint, Recount, content_key

_VERDICTS = ("clear", "review_needed", "boundary_violation")
_PROVENANCES = ("observed", "relayed", "reported", "imported")
_RECLASSIFICATIONS = ("card_gap", "behavior_gap")

#: A check and the message about its failure.
Fault = tuple[str, str]


@dataclass(frozen=True)
class WalkEnd:
    length: int
    leaf_count: int
    root: str
    #: The chain hash of the last leaf.
    last_leaf: str | None
    recount: Recount
    sessions: tuple[int, int]
    #: None in methodology 1.
    assurance: AssuranceInput | None


class BundleWalk:
    """Continues from what each checkpoint states, so that one broken link is reported once."""

    def __init__(self, agent_id: str, at_ms: int, has_assurance: bool) -> None:
        self._agent_id = agent_id
        self._at_ms = at_ms
        self._days = AssuranceDays() if has_assurance else None
        self._tree = MerkleEdge()
        self._recount = Recount(at_ms)
        self._ids: set[str] = set()
        self._hour = AnalysedHour()
        #: Position and chain hash of the checkpoint before.
        self._head: tuple[int, str] | None = None
        self._length = 0
        self._next_leaf = 0
        self._last_leaf: str | None = None

    def add(self, checkpoint: dict[str, Any]) -> list[Fault]:
        record, chain, leaf_index = (checkpoint[key] for key in ("record", "chain", "leaf_index"))
        identity = record["subject"]["checkpoint_id"]
        synthetic = record["claims"]["synthetic"]
        chain_faults = [
            *_record_faults(record, chain, self._agent_id),
            self._chain_fault(chain),
            "record/subject/checkpoint_id is a duplicate" if identity in self._ids else None,
        ]
        follows = leaf_index is None if synthetic else leaf_index == self._next_leaf
        tree_fault = None if follows else "leaf_index is not the next index"
        faults = [("chain", message) for message in chain_faults if message is not None]
        faults += [] if tree_fault is None else [("tree", tree_fault)]
        faults += [("score", message) for message in self._count(checkpoint) if message is not None]
        self._ids.add(identity)
        self._length += 1
        self._next_leaf = self._next_leaf if leaf_index is None else leaf_index + 1
        self._head = (chain["position"], chain["chain_hash"])
        if not synthetic and is_hash_hex(chain["chain_hash"]):
            self._tree.append(leaf_hash(hex_to_bytes(chain["chain_hash"])))
            self._last_leaf = chain["chain_hash"]
        return faults

    def end(self, drifted: Collection[str]) -> WalkEnd:
        return WalkEnd(
            length=self._length,
            leaf_count=self._tree.size,
            root=self._tree.root().hex(),
            last_leaf=self._last_leaf,
            recount=self._recount,
            sessions=self._recount.sessions(drifted),
            assurance=None if self._days is None else self._days.sums(self._at_ms),
        )

    def _chain_fault(self, chain: dict[str, Any]) -> str | None:
        position, previous = chain["position"], chain["prev_chain_hash"]
        head = (-1, None) if self._head is None else self._head
        if position != head[0] + 1:
            return "chain/position is not the next position"
        if previous != head[1]:
            return "chain/prev_chain_hash does not match the previous chain hash"
        computed = chain_hash(previous, position, chain["record_hash"])
        if computed is None or computed != chain["chain_hash"]:
            return "chain/chain_hash does not match its parts"
        return None

    def _count(self, checkpoint: dict[str, Any]) -> list[str | None]:
        at_ms = parse_instant(checkpoint["record"]["timestamp"])
        if at_ms is None:
            return ["record/timestamp is not a valid timestamp"]
        gaming = self._recount.add(_to_counted(checkpoint, at_ms))
        faults = _outside_faults(checkpoint, gaming, self._join_hour(checkpoint["record"]))
        if self._days is not None:
            return [*faults, self._assure(checkpoint, self._days)]
        is_strange = "received_at" in checkpoint
        return [*faults, "received_at does not belong to this methodology" if is_strange else None]

    def _join_hour(self, record: dict[str, Any]) -> bool:
        """Whether it is one too many in its hour. Older records without a receipt do not count."""
        received_at = record["subject"].get("received_at")
        at_ms = parse_instant(received_at) if isinstance(received_at, str) else None
        if at_ms is None or record["claims"]["synthetic"]:
            return False
        return self._hour.add(at_ms)

    def _assure(self, checkpoint: dict[str, Any], days: AssuranceDays) -> str | None:
        """Counts a checkpoint of the scoring set towards its day."""
        claims, subject = checkpoint["record"]["claims"], checkpoint["record"]["subject"]
        received_at = checkpoint.get("received_at", "")
        at_ms = parse_instant(received_at)
        if at_ms is None:
            return "received_at is not a valid timestamp"
        if subject.get("received_at", received_at) != received_at:
            return "received_at does not match the record"
        # A record of version 1.0.0 states no provenance and counts as reported.
        provenance = subject.get("provenance", "reported")
        if provenance not in _PROVENANCES:
            return "record/subject/provenance is not a known value"
        if not claims["synthetic"] and not checkpoint["excluded_from_score"]:
            days.add(at_ms, claims["verdict"], provenance, checkpoint["flags"])
        return None


def _record_faults(
    record: dict[str, Any], chain: dict[str, Any], agent_id: str
) -> list[str | None]:
    inputs = record["input_commitments"]
    is_committed = combined_commitment(inputs) == inputs["combined_commitment"]
    is_known = record["claims"]["verdict"] in _VERDICTS
    return [
        None
        if record_hash(record) == chain["record_hash"]
        else "chain/record_hash does not match the record",
        None
        if record["subject"]["agent_id"] == agent_id
        else "record/subject/agent_id is a different agent",
        None if is_known else "record/claims/verdict is not a known verdict",
        None
        if is_committed
        else "record/input_commitments/combined_commitment does not match the inputs",
    ]


def _outside_faults(
    checkpoint: dict[str, Any], gaming: list[str], is_burst: bool
) -> list[str | None]:
    """Checks the fields outside the record against the chain, as far as the chain determines them.
    """
    flags, reclassification = checkpoint["flags"], checkpoint["reclassification"]
    claims = checkpoint["record"]["claims"]
    verdict, synthetic = claims["verdict"], claims["synthetic"]
    # Bursts follow from the records; the others from texts that were never stored, so any are
    # accepted.
    thin = [] if synthetic else [one for one in NOVELTY_FLAGS if one in flags]
    right = [*gaming, *thin, *(BURST_FLAGS if is_burst else ())]
    # The operator decides whether a flagged checkpoint is excluded; others must not be.
    cannot_exclude = not gaming or verdict != "clear"
    is_allowed = reclassification is None or (
        reclassification in _RECLASSIFICATIONS and not synthetic and verdict != "clear"
    )
    return [
        None if flags == right else f"flags must be [{', '.join(right)}]",
        "excluded_from_score must be false"
        if checkpoint["excluded_from_score"] and cannot_exclude
        else None,
        None if is_allowed else "reclassification is not allowed for this checkpoint",
    ]


def _to_counted(checkpoint: dict[str, Any], timestamp_ms: int) -> CountedCheckpoint:
    record = checkpoint["record"]
    inputs = record["input_commitments"]
    return CountedCheckpoint(
        session_id=record["subject"]["session_id"],
        timestamp_ms=timestamp_ms,
        verdict=record["claims"]["verdict"],
        synthetic=record["claims"]["synthetic"],
        excluded=checkpoint["excluded_from_score"],
        card_gap=checkpoint["reclassification"] == "card_gap",
        content=content_key(inputs["thinking_block_hash"], inputs["output_block_hash"]),
    )
