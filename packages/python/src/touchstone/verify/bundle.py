"""Verification of an evidence bundle: recomputes the published score without the service."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .bundle_score import BundleScore, differences, published_score, recomputed_score
from .bundle_shape import FORMAT, KINDS, PAIR_WEIGHTS, is_methodology_2, read_line
from .bundle_walk import BundleWalk, WalkEnd
from .certificate import certificate_faults, certificate_problems
from .encoding import parse_instant, sha256_hex
from .json_value import canonical_json, format_number
from .keys import TrustedKey, find_key, is_signed
from .score import ImpossibleCounts, ScoreInput

#: In the order of their dependencies.
CHECKS = ("lines", "chain", "tree", "signatures", "certificate", "score")

#: Further faults are only counted, so that a hostile bundle cannot cause an endless answer.
_FAULTS_MAX = 100
_ONCE = ("header", "certificate", "trailer")


@dataclass(frozen=True)
class BundleFault:
    check: str
    #: Counted from 1; a missing line is reported after the last one.
    line: int
    #: The line's kind; checkpoints are numbered from 0.
    place: str
    message: str


@dataclass(frozen=True)
class BundleVerification:
    #: True if all hashes, links and signatures, and the score, are correct.
    ok: bool
    agent_id: str | None
    #: As the bundle states it.
    published: BundleScore | None
    #: As it follows from the evidence; None if there is too little to compute it from.
    recomputed: BundleScore | None
    #: Whether both have the same numbers.
    equal: bool
    #: passed, failed or not_reached, by check.
    checks: dict[str, str]
    #: The first faults.
    faults: list[BundleFault]
    fault_count: int


def verify_bundle(lines: Iterable[Any], keys: Iterable[TrustedKey]) -> BundleVerification:
    """Verifies a bundle against published keys, which the reader provides.

    Takes its lines as text, bytes or parsed JSON, an open file, or the whole text. Never raises for
    their contents.
    """
    verifier = _Verifier(list(keys))
    for line in _split(lines):
        given = line.rstrip("\n") if isinstance(line, str) else line
        given = bytes(given).rstrip(b"\n") if isinstance(given, (bytes, bytearray)) else given
        # A trailing line feed leaves an empty last line.
        if given not in ("", b""):
            verifier.read(given)
    return verifier.finish()


def _split(lines: Iterable[Any]) -> Iterable[Any]:
    """Not str.splitlines, which also splits at characters that JSON texts may contain."""
    if isinstance(lines, str):
        return lines.split("\n")
    return bytes(lines).split(b"\n") if isinstance(lines, (bytes, bytearray)) else lines


@dataclass
class _Verifier:
    keys: list[TrustedKey]
    faults: list[BundleFault] = field(default_factory=list)
    fault_count: int = 0
    failed: set[str] = field(default_factory=set)
    line: int = 0
    #: The digest and the rank of the line before.
    digest: str | None = None
    rank: int = -1
    checkpoints: int = 0
    header: dict[str, Any] | None = None
    walk: BundleWalk | None = None
    at_ms: int = 0
    drifted: set[str] = field(default_factory=set)
    peers: int = 0
    # Floats, whose sums are rounded as in the service.
    pair_score_e4_sum: float = 0.0
    peers_across: int = 0
    across_e4_sum: float = 0.0
    adjustment_e4: float = 0.0
    adjustment_ids: set[str] = field(default_factory=set)
    certificate: tuple[Any, int] | None = None
    trailer: dict[str, Any] | None = None

    def add_fault(self, check: str, place: str, message: str, line: int | None = None) -> None:
        self.fault_count += 1
        self.failed.add(check)
        if len(self.faults) < _FAULTS_MAX:
            at = self.line if line is None else line
            self.faults.append(BundleFault(check, at, place, message))

    def read(self, given: Any) -> None:
        self.line += 1
        kind, value, problems = read_line(given)
        place = self._place(kind)
        self._check_order(kind, place)
        for problem in problems:
            self.add_fault("lines", place, f"{problem.path} {problem.message}")
        if problems or kind is None:
            return
        if kind == "trailer":
            if self.trailer is None:
                self._read_trailer(value["value"])
            return
        if _entry_digest(kind, value["value"], self.digest) != value["digest"]:
            self.add_fault("lines", place, "the digest does not match the line")
        self.digest = value["digest"]
        self._read_entry(kind, value["value"], place)

    def _place(self, kind: str | None) -> str:
        if kind != "checkpoint":
            return kind or "line"
        self.checkpoints += 1
        return f"checkpoint {self.checkpoints - 1}"

    def _check_order(self, kind: str | None, place: str) -> None:
        if kind is None:
            return
        rank = KINDS.index(kind)
        is_first = self.rank == -1
        again = rank == self.rank and kind in _ONCE
        if rank < self.rank or again or is_first != (kind == "header"):
            self.add_fault("lines", place, "is out of order or a duplicate")
        self.rank = max(rank, self.rank)

    def _read_entry(self, kind: str, value: Any, place: str) -> None:
        if kind == "header" and self.header is None:
            self._read_header(value)
        elif kind == "trace_drift":
            self.drifted.add(value["session_id"])
        elif kind == "pair_score":
            self._read_pair_score(value, place)
        elif kind == "adjustment":
            self._read_adjustment(value, place)
        elif kind == "checkpoint" and self.walk is not None:
            for check, message in self.walk.add(value):
                self.add_fault(check, place, message)
        elif kind == "certificate" and self.certificate is None:
            self.certificate = (value, self.line)

    def _read_pair_score(self, pair: dict[str, Any], place: str) -> None:
        """In methodology 1 all pair scores weigh the same."""
        is_first = self.header is not None and not is_methodology_2(self.header)
        if is_first and "weight" in pair:
            self.add_fault("score", place, "weight does not belong to this methodology")
        self.peers += 1
        self.pair_score_e4_sum += pair["pair_score_e4"]
        if not is_first and pair.get("weight") == PAIR_WEIGHTS[1]:
            self.peers_across += 1
            self.across_e4_sum += pair["pair_score_e4"]

    def _read_header(self, header: dict[str, Any]) -> None:
        self.header = header
        at_ms = parse_instant(header["published"]["computed_at"])
        if at_ms is None:
            self.add_fault("score", "header", "published/computed_at is not a valid timestamp")
        self.at_ms = at_ms or 0
        self.walk = BundleWalk(header["agent_id"], self.at_ms, is_methodology_2(header))

    def _read_adjustment(self, adjustment: dict[str, Any], place: str) -> None:
        """Each adjustment counts once, and only while it is valid."""
        self.adjustment_e4 += adjustment["points_e4"]
        if adjustment["adjustment_id"] in self.adjustment_ids:
            self.add_fault("score", place, "adjustment_id is a duplicate")
        self.adjustment_ids.add(adjustment["adjustment_id"])
        end = parse_instant(adjustment["valid_until"])
        if end is None or end <= self.at_ms:
            message = "valid_until must be after published/computed_at"
            self.add_fault("score", place, message)

    def _read_trailer(self, trailer: dict[str, Any]) -> None:
        self.trailer = trailer
        lines = self.line - 1
        if trailer["lines"] != lines:
            stated = format_number(trailer["lines"])
            message = f"lines is {stated}, but the bundle has {lines}"
            self.add_fault("lines", "trailer", message)
        if trailer["digest"] != self.digest:
            self.add_fault("lines", "trailer", "digest does not match the last line")
        if self.header is None:
            return
        payload = canonical_json(
            {
                "agent_id": self.header["agent_id"],
                "computed_at": self.header["published"]["computed_at"],
                "digest": trailer["digest"],
                "format": FORMAT,
                "lines": trailer["lines"],
            }
        )
        public_key = find_key(trailer["key_id"], self.keys)
        if public_key is None:
            message = "key_id is not among the published keys"
            self.add_fault("signatures", "trailer", message)
        elif not is_signed(payload, trailer["signature"], public_key):
            message = "signature does not verify for this bundle"
            self.add_fault("signatures", "trailer", message)

    def finish(self) -> BundleVerification:
        for place, check, value in (
            ("header", "lines", self.header),
            ("certificate", "certificate", self.certificate),
            ("trailer", "signatures", self.trailer),
        ):
            if value is None:
                self.add_fault(check, place, "is missing", self.line + 1)
        published = recomputed = None
        different: list[str] = []
        if self.header is not None and self.walk is not None:
            end = self.walk.end(self.drifted)
            published = published_score(self.header)
            recomputed = self._recompute(self.header, end)
            self._check_totals(self.header, end)
            self._check_certificate(end)
            different = [] if recomputed is None else differences(published, recomputed)
        for name in different:
            self._header_fault("score", f"published/{name} does not match the recomputed value")
        return BundleVerification(
            ok=self.fault_count == 0,
            agent_id=None if self.header is None else self.header["agent_id"],
            published=published,
            recomputed=recomputed,
            equal=recomputed is not None and not different,
            checks={check: self._state(check) for check in CHECKS},
            faults=self.faults,
            fault_count=self.fault_count,
        )

    def _state(self, check: str) -> str:
        if check in self.failed:
            return "failed"
        return "passed" if check == "lines" or self.header is not None else "not_reached"

    def _header_fault(self, check: str, message: str) -> None:
        self.add_fault(check, "header", message, 1)

    def _recompute(self, header: dict[str, Any], end: WalkEnd) -> BundleScore | None:
        for name, stated, counted in self._figures(header["basis"], end):
            if stated != counted:
                numbers = f"{format_number(stated)}, but the lines give {format_number(counted)}"
                self._header_fault("score", f"basis/{name} is {numbers}")
        try:
            return recomputed_score(header, self._input(header["basis"], end), end)
        except ImpossibleCounts as error:
            self._header_fault("score", f"the score cannot be recomputed: {error}")
            return None

    def _input(self, basis: dict[str, Any], end: WalkEnd) -> ScoreInput:
        recount = end.recount
        stored = basis.get("traces_stored")
        return ScoreInput(
            now_ms=self.at_ms,
            scored=recount.scored,
            clear=recount.clear,
            excluded=recount.excluded,
            violations=tuple(recount.violations),
            sessions=end.sessions[0],
            unstable=end.sessions[1],
            traces_verified=basis["traces_verified"] if stored is None else stored,
            peers=self.peers,
            pair_score_e4_sum=self.pair_score_e4_sum,
            adjustment_e4=self.adjustment_e4,
            peers_across=self.peers_across,
            across_e4_sum=self.across_e4_sum,
        )

    def _figures(self, basis: dict[str, Any], end: WalkEnd) -> list[tuple[str, float, float]]:
        """The figures that can be counted from the bundle's lines."""
        checkpoints, sessions, peers = (basis[key] for key in ("checkpoints", "sessions", "peers"))
        across = peers.get("across_orgs", {"count": 0, "pair_score_e4_sum": 0})
        return [
            ("checkpoints/scored", checkpoints["scored"], end.recount.scored),
            ("checkpoints/clear", checkpoints["clear"], end.recount.clear),
            ("checkpoints/excluded", checkpoints["excluded"], end.recount.excluded),
            ("sessions/total", sessions["total"], end.sessions[0]),
            ("sessions/unstable", sessions["unstable"], end.sessions[1]),
            ("peers/count", peers["count"], self.peers),
            ("peers/pair_score_e4_sum", peers["pair_score_e4_sum"], self.pair_score_e4_sum),
            ("peers/across_orgs/count", across["count"], self.peers_across),
            (
                "peers/across_orgs/pair_score_e4_sum",
                across["pair_score_e4_sum"],
                self.across_e4_sum,
            ),
            ("adjustment_e4", basis["adjustment_e4"], self.adjustment_e4),
        ]

    def _check_totals(self, header: dict[str, Any], end: WalkEnd) -> None:
        published, tree = header["published"], header["tree_head"]
        for name, check, holds in (
            ("published/chain_length", "chain", published["chain_length"] == end.length),
            ("published/tree_size", "tree", published["tree_size"] == end.leaf_count),
            ("published/root", "tree", published["root"] == end.root),
            ("tree_head/leaf_count", "tree", tree["leaf_count"] == end.leaf_count),
            ("tree_head/merkle_root", "tree", tree["merkle_root"] == end.root),
        ):
            if not holds:
                self._header_fault(check, f"{name} does not match the checkpoints")
        public_key = find_key(tree["key_id"], self.keys)
        if public_key is None:
            message = "tree_head/key_id is not among the published keys"
            self._header_fault("signatures", message)
        elif not verify_tree_head({**tree, "agent_id": header["agent_id"]}, public_key):
            message = "tree_head/signature does not verify for this head"
            self._header_fault("signatures", message)

    def _check_certificate(self, end: WalkEnd) -> None:
        """The certificate must be valid by itself and belong to the last leaf."""
        if self.certificate is None:
            return
        value, line = self.certificate
        problems = certificate_problems(value)
        for one in problems:
            message = f"{one.path} {one.message}"
            self.add_fault("certificate", "certificate", message, line)
        if problems:
            return
        faults = certificate_faults(value, self.keys)
        if any(faults.values()):
            details = "; ".join(f"{check}: {fault or 'ok'}" for check, fault in faults.items())
            self.add_fault("certificate", "certificate", details, line)
        chain, merkle = value["proofs"]["chain"], value["proofs"]["merkle"] or {}
        place = (chain["chain_hash"], merkle.get("root"), merkle.get("tree_size"))
        if place != (end.last_leaf, end.root, end.leaf_count):
            message = "does not belong to the last analysed checkpoint"
            self.add_fault("certificate", "certificate", message, line)


def verify_tree_head(head: dict[str, Any], public_key: bytes) -> bool:
    """Verifies the signed head of an agent's tree, as `GET /v1/agents/{agent_id}/merkle-root` has
    it.
    """
    payload = {name: head[name] for name in ("agent_id", "leaf_count", "merkle_root")}
    return is_signed(canonical_json(payload), head["signature"], public_key)


def _entry_digest(kind: str, value: Any, previous: str | None) -> str | None:
    """None if the value has no canonical form."""
    try:
        return sha256_hex(canonical_json({"kind": kind, "previous": previous, "value": value}))
    except TypeError:
        return None
