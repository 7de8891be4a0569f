"""The vectors that other implementations run, too."""

from __future__ import annotations

import json
import unittest
from typing import Any

from support import vectors

from touchstone.verify import (
    canonical_json,
    chain_hash,
    hash_canonical,
    leaf_hash,
    parse_json,
    verify_bundle,
    verify_certificate,
    verify_consistency,
    verify_inclusion,
    verify_receipt,
    verify_tree_head,
)
from touchstone.verify.encoding import parse_instant
from touchstone.verify.merkle import MerkleEdge, proof_from_path
from touchstone.verify.recount import AnalysedHour
from touchstone.verify.score import (
    COMPONENTS,
    ScoreInput,
    Violation,
    composite_score,
    compliance_score,
    impact_of,
    rate,
    standing_of,
)


class CanonicalJson(unittest.TestCase):
    def test_is_the_stated_text_or_none(self) -> None:
        for one in vectors("canonical/canonical-json.json")["cases"]:
            with self.subTest(one["name"]):
                if one["canonical"] is not None:
                    self.assertEqual(canonical_json(parse_json(one["text"])), one["canonical"])
                    continue
                with self.assertRaises((TypeError, ValueError)):
                    canonical_json(parse_json(one["text"]))


class Certificates(unittest.TestCase):
    FILES = ("certificate.json", "certificate-1.1.json")

    def test_untouched_ones_verify_and_have_the_stated_hash(self) -> None:
        for file in self.FILES:
            given = vectors(f"attestation/{file}")
            for one in given["checkpoints"]:
                result = verify_certificate(one["certificate"], given["keys"])
                self.assertTrue(result.valid, result.details)
                self.assertEqual(hash_canonical(one["certificate"]), one["certificate_hash"])

    def test_each_change_fails_exactly_the_stated_checks(self) -> None:
        for file in self.FILES:
            given = vectors(f"attestation/{file}")
            for one in given["tampered"]:
                with self.subTest(file=file, name=one["name"]):
                    result = verify_certificate(self.changed(given, one), given["keys"])
                    failed = [check for check, fault in result.checks.items() if fault]
                    self.assertEqual(sorted(failed), sorted(one["failed"]))
                    self.assertEqual(result.valid, not one["failed"])

    def test_proofs_of_the_log_hold_and_each_change_of_one_fails(self) -> None:
        given = vectors("attestation/certificate-log.json")
        for certificate in given["certificates"]:
            result = verify_certificate(certificate, given["keys"])
            self.assertTrue(result.valid, result.details)
            self.assertIn("log", result.checks)
        first, second = given["certificates"][:2]
        cases = [("another checkpoint", {**first, "log": second["log"]})]
        for one in given["tampered"]:
            log = json.loads(json.dumps(first["log"]))
            inner = log if len(one["pointer"]) == 1 else log[one["pointer"][0]]
            inner[one["pointer"][-1]] = one["value"]
            cases.append((one["name"], {**first, "log": log}))
        for name, certificate in cases:
            with self.subTest(name):
                result = verify_certificate(certificate, given["keys"])
                failed = [check for check, fault in result.checks.items() if fault]
                self.assertEqual(failed, ["log"])

    def test_malformed_ones_are_not_certificates(self) -> None:
        for file in self.FILES:
            given = vectors(f"attestation/{file}")
            for one in given["malformed"]:
                with self.subTest(file=file, name=one["name"]):
                    result = verify_certificate(self.changed(given, one), given["keys"])
                    self.assertFalse(result.valid)
                    self.assertNotEqual(result.problems, [])
                    if "code" in one:
                        self.assertIn(one["code"], [problem.code for problem in result.problems])

    def test_the_signed_tree_head_verifies(self) -> None:
        given = vectors("attestation/certificate.json")
        head = {**given["tree_head"]["head"], "signature": given["tree_head"]["signature"]}
        keys = [bytes.fromhex(key["public_key"]) for key in given["keys"]]
        self.assertTrue(any(verify_tree_head(head, key) for key in keys))
        head["leaf_count"] += 1
        self.assertFalse(any(verify_tree_head(head, key) for key in keys))

    @staticmethod
    def changed(given: Any, change: Any) -> Any:
        base = given["checkpoints"][change["certificate"]]["certificate"]
        certificate: Any = json.loads(json.dumps(base))
        *parents, last = change["pointer"].split("/")[1:]
        target = certificate
        for name in parents:
            name = name.replace("~1", "/").replace("~0", "~")
            target = target[int(name) if isinstance(target, list) else name]
        last = last.replace("~1", "/").replace("~0", "~")
        target[int(last) if isinstance(target, list) else last] = change["value"]
        return certificate


class Receipts(unittest.TestCase):
    def test_are_valid_as_stated(self) -> None:
        given = vectors("policy/decision-receipts.json")
        for one in given["receipts"]:
            with self.subTest(one["name"]):
                result = verify_receipt(one["receipt"], given["keys"])
                self.assertEqual(result.valid, one["valid"], result.fault)
                self.assertEqual(result.statement is not None, one["valid"])

    def test_name_the_hash_of_the_arguments(self) -> None:
        given = vectors("policy/decision-receipts.json")
        statement = given["receipts"][0]["receipt"]["statement"]
        self.assertEqual(statement["arguments_hash"], hash_canonical(given["arguments"]))


class Coherence(unittest.TestCase):
    def test_weighs_peers_of_the_same_organisation_half(self) -> None:
        for one in vectors("reputation/coherence.json")["cases"]:
            pairs = one["pair_scores"]
            across = [pair for pair in pairs if pair["weight"] == 1]
            for expected, others in ((one["score"], across), (one["methodology_1"], [])):
                given = ScoreInput(
                    now_ms=0,
                    scored=100,
                    clear=100,
                    excluded=0,
                    violations=(),
                    sessions=0,
                    unstable=0,
                    traces_verified=0,
                    peers=len(pairs),
                    pair_score_e4_sum=sum(pair["pair_score_e4"] for pair in pairs),
                    adjustment_e4=0,
                    peers_across=len(others),
                    across_e4_sum=sum(pair["pair_score_e4"] for pair in others),
                )
                components = rate(given).components
                assert components is not None
                self.assertEqual(components["coherence_compatibility"], expected)


class Bursts(unittest.TestCase):
    def test_are_those_beyond_the_most_of_a_clock_hour(self) -> None:
        for one in vectors("provenance/bursts.json")["cases"]:
            with self.subTest(one["name"]):
                hour, found, position = AnalysedHour(), [], 0
                for received in one["received"]:
                    at_ms = parse_instant(received["at"])
                    assert at_ms is not None
                    for _ in range(received["count"]):
                        if not received.get("synthetic", False) and hour.add(at_ms):
                            found.append(position)
                        position += 1
                self.assertEqual(found, one["bursts"])


class Bundles(unittest.TestCase):
    def test_a_burst_that_the_records_do_not_show_is_a_fault(self) -> None:
        given = vectors("reputation/bundle-2.json")
        lines = [json.loads(line) for line in given["lines"]]
        claimed = next(line for line in lines if line["value"].get("flags") == ["low_novelty"])
        claimed["value"]["flags"] = ["burst"]
        faults = verify_bundle(lines, given["keys"]).faults
        self.assertIn(("score", "flags must be []"), [(one.check, one.message) for one in faults])

    def test_verify_and_give_the_stated_score(self) -> None:
        for file in ("bundle.json", "bundle-2.json"):
            given = vectors(f"reputation/{file}")
            for lines in (given["lines"], [json.loads(line) for line in given["lines"]]):
                result = verify_bundle(lines, given["keys"])
                self.assertEqual(result.faults, [])
                self.assertTrue(result.ok and result.equal)
                self.assertEqual(set(result.checks.values()), {"passed"})
                assert result.recomputed is not None
                for name, value in given["recomputed"].items():
                    own = {"checkpointCount": "checkpoint_count", "assuredScore": "assured_score"}
                    self.assertEqual(getattr(result.recomputed, own.get(name, name)), value)

    def test_the_weight_of_a_pair_score_is_counted(self) -> None:
        given = vectors("reputation/bundle-2.json")
        lines = [json.loads(line) for line in given["lines"]]
        pair = {"peer_id": "p", "pair_score_e4": 4000, "checked_at": "2026-02-20T00:00:00.000Z"}
        stated = {"kind": "pair_score", "digest": "0" * 64, "value": {**pair, "weight": 1}}
        faults = verify_bundle([lines[0], stated, *lines[1:]], given["keys"]).faults
        expected = "basis/peers/across_orgs/count is 0, but the lines give 1"
        self.assertIn(("score", expected), [(one.check, one.message) for one in faults])
        stated["value"]["weight"] = 2
        faults = verify_bundle([lines[0], stated, *lines[1:]], given["keys"]).faults
        self.assertIn("/value/weight must be 0.5 or 1", [one.message for one in faults])

    def test_a_missing_line_is_noticed(self) -> None:
        given = vectors("reputation/bundle-2.json")
        for index in (0, 1, 2, 40, -3, -2, -1):
            index %= len(given["lines"])
            lines = given["lines"][:index] + given["lines"][index + 1 :]
            self.assertFalse(verify_bundle(lines, given["keys"]).ok)

    def test_bytes_of_a_file_are_read_and_other_keys_refused(self) -> None:
        given = vectors("reputation/bundle-2.json")
        data = "\n".join(given["lines"]).encode() + b"\n"
        self.assertTrue(verify_bundle(data.splitlines(keepends=True), given["keys"]).ok)
        self.assertTrue(verify_bundle(data, given["keys"]).ok)
        self.assertTrue(verify_bundle(data.decode(), given["keys"]).ok)
        result = verify_bundle(given["lines"], [])
        self.assertEqual(result.checks["signatures"], "failed")


class Proofs(unittest.TestCase):
    def test_chain(self) -> None:
        given = vectors("attestation/chain.json")
        for link in [*given["links"], given["far"]]:
            parts = (link["previous"], link["position"], link["record_hash"])
            self.assertEqual(chain_hash(*parts), link["chain_hash"])

    def test_tree(self) -> None:
        given = vectors("attestation/tree.json")
        leaves = [leaf_hash(data.encode()) for data in given["leaf_data"]]
        self.assertEqual([leaf.hex() for leaf in leaves], given["leaf_hashes"])
        roots: list[bytes] = []
        edge = MerkleEdge()
        for one in given["roots"]:
            self.assertEqual(edge.root().hex(), one["root"])
            roots.append(edge.root())
            if edge.size < len(leaves):
                edge.append(leaves[edge.size])
        for one in given["inclusion"]:
            index, size = one["index"], one["size"]
            proof = self.proof(one, index, size)
            self.assertTrue(verify_inclusion(leaves[index], index, size, proof, roots[size]))
            self.assertFalse(verify_inclusion(leaves[index - 1], index, size, proof, roots[size]))
        for one in given["consistency"]:
            first, second = one["first"], one["second"]
            proof = [bytes.fromhex(node) for node in one["proof"]]
            given_roots = (roots[first], roots[second])
            self.assertTrue(verify_consistency(first, second, *given_roots, proof))
            self.assertFalse(verify_consistency(first, second, given_roots[0], bytes(32), proof))
            longer = [*proof, bytes(32)]
            self.assertFalse(verify_consistency(first, second, *given_roots, longer))

    def proof(self, one: Any, index: int, size: int) -> list[bytes]:
        if one["path"] and isinstance(one["path"][0], dict):
            return proof_from_path(index, size, one["path"]) or []
        return [bytes.fromhex(node) for node in one["path"]]


class Scores(unittest.TestCase):
    def test_follow_from_the_counts(self) -> None:
        for one in vectors("reputation/score.json")["cases"]:
            with self.subTest(one["name"]):
                rating, wanted = rate(self.input(one["input"])), one["output"]
                for name in ("score", "grade", "tier", "confidence", "checkpoint_count"):
                    self.assertEqual(getattr(rating, name), wanted[name])
                self.assertEqual(rating.conservative_score, wanted["conservative_score"])
                if rating.components is not None:
                    scores = {part["key"]: part["score"] for part in wanted["components"]}
                    self.assertEqual(rating.components, scores)

    def test_composites(self) -> None:
        for one in vectors("reputation/composite.json")["cases"]:
            score = composite_score(dict(zip(COMPONENTS, one["components"])))
            self.assertEqual(score, one["score"])
            self.assertEqual(standing_of(score), (one["grade"], one["tier"]))

    def test_compliance(self) -> None:
        for one in vectors("reputation/compliance.json")["cases"]:
            with self.subTest(one["name"]):
                violations = [self.violation(violation) for violation in one["violations"]]
                impact = impact_of(violations, parse_instant(one["now"]) or 0)
                self.assertEqual(compliance_score(impact), one["compliance"])

    def input(self, given: Any) -> ScoreInput:
        checkpoints, sessions, peers = (given[key] for key in ("checkpoints", "sessions", "peers"))
        return ScoreInput(
            now_ms=parse_instant(given["now"]) or 0,
            scored=checkpoints["scored"],
            clear=checkpoints["clear"],
            excluded=checkpoints["excluded"],
            violations=tuple(self.violation(one) for one in given["violations"]),
            sessions=sessions["total"],
            unstable=sessions["unstable"],
            traces_verified=given.get("traces_stored", given.get("traces_verified")),
            peers=peers["count"],
            pair_score_e4_sum=peers["pair_score_e4_sum"],
            adjustment_e4=given["adjustment_e4"],
        )

    @staticmethod
    def violation(one: Any) -> Violation:
        timestamp_ms = parse_instant(one["timestamp"]) or 0
        return Violation(one["session_id"], timestamp_ms, one["card_gap"])


if __name__ == "__main__":
    unittest.main()
