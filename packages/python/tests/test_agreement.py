"""Generated cases on which this package and packages/protocol must agree, hostile ones included."""

from __future__ import annotations

import json
import random
import unittest
from dataclasses import asdict
from typing import Any

from support import (
    HOSTILE,
    RUNS,
    Oracle,
    changed_text,
    random_json_text,
    rng_for,
    vectors,
)

from touchstone.verify import (
    canonical_json,
    parse_json,
    verify_bundle,
    verify_certificate,
    verify_ed25519,
    verify_receipt,
)
from touchstone.verify import ed25519
from touchstone.verify.encoding import parse_instant
from touchstone.verify.score import ScoreInput, Violation, rate


def canonical_or_none(text: str) -> str | None:
    try:
        return canonical_json(parse_json(text))
    except (ValueError, TypeError):
        return None


class CanonicalJson(unittest.TestCase):
    def test_is_the_same_text_or_an_error_for_both(self) -> None:
        rng = rng_for(self)
        texts = HOSTILE + [random_json_text(rng) for _ in range(400 * RUNS)]
        answers = Oracle.shared().ask("canonical", [{"text": text} for text in texts])
        for text, answer in zip(texts, answers):
            with self.subTest(text=text[:200]):
                self.assertEqual(canonical_or_none(text), answer.get("value"))

    def test_reads_escaped_keys(self) -> None:
        text = '{"\\ue000":1,"\\ud83d\\ude00":2,"\\u0000":3,"\\/":4}'
        wanted = '{"\\u0000":3,"/":4,"\U0001f600":2,"\ue000":1}'
        self.assertEqual(canonical_or_none(text), wanted)
        self.assertIsNone(canonical_or_none('{"\\ud800":1}'))

    def test_takes_python_numbers_as_doubles(self) -> None:
        for value, text in (
            (2**53, "9007199254740992"),
            (2**53 + 1, "9007199254740992"),
            (2**60, "1152921504606847000"),
            (-(2**70), "-1.1805916207174113e+21"),
            (True, "true"),
            (1.0, "1"),
            (-0.0, "0"),
            ((1, 2), "[1,2]"),
        ):
            self.assertEqual(canonical_json(value), text)

    def test_has_no_form_for_anything_else(self) -> None:
        loop: list[Any] = []
        loop.append(loop)
        for value in (float("nan"), float("inf"), 10**400, b"x", {1}, {1: 2}, loop, "\ud800"):
            with self.assertRaises(TypeError):
                canonical_json(value)
        with self.assertRaises(TypeError):
            canonical_json({"\U0001f600": 1, "\ud83d\ude00": 2})


class Instants(unittest.TestCase):
    def test_are_read_alike(self) -> None:
        rng = rng_for(self)
        texts = [self.text(rng) for _ in range(600 * RUNS)]
        texts += ["2026-02-29T00:00Z", "2024-02-29T24:00:00Z", "0000-01-01T00:00+00:01"]
        texts += ["9999-12-31T23:59:59.9999Z", "9999-12-31T23:59-00:01", "2026-01-01T00:00Z\n"]
        answers = Oracle.shared().ask("instant", [{"text": text} for text in texts])
        for text, answer in zip(texts, answers):
            with self.subTest(text):
                self.assertEqual(parse_instant(text), answer["value"])

    @staticmethod
    def text(rng: random.Random) -> str:
        dash, colon = rng.choice([("-", ":"), ("", ""), ("-", ""), ("-", ":")])
        year = rng.choice([0, 1, 99, 1900, 1969, 1970, 2000, 2024, 2026, 9999])
        month, day = rng.randrange(14), rng.randrange(33)
        hour, minute = rng.choice([0, 7, 23, 24, 25]), rng.choice([0, 59, 60])
        second = rng.choice(["", f"{colon}{rng.choice([0, 30, 59, 60]):02}"])
        fraction = rng.choice(["", ".5", ",25", ".123456789", ".0000"]) if second else ""
        zone = rng.choice(["Z", "z", "+00:00", "-0130", "+23", "+24:00", "-12:60", "+99:99", ""])
        date = f"{year:04}{dash}{month:02}{dash}{day:02}"
        return f"{date}{rng.choice('TTTt ')}{hour:02}{colon}{minute:02}{second}{fraction}{zone}"


class Documents(unittest.TestCase):
    def test_certificates_are_judged_alike(self) -> None:
        rng = rng_for(self)
        given = [vectors(f"attestation/certificate{name}.json") for name in ("", "-1.1")]
        keys = given[0]["keys"] + given[1]["keys"]
        originals = [one["certificate"] for file in given for one in file["checkpoints"]]
        texts = [changed_text(rng, rng.choice(originals)) for _ in range(150 * RUNS)] + HOSTILE
        questions = [{"text": text, "keys": keys} for text in texts]
        answers = Oracle.shared().ask("certificate", questions)
        for text, answer in zip(texts, answers):
            with self.subTest(text=text[:2000]):
                try:
                    document = parse_json(text)
                except ValueError:
                    self.assertEqual(answer.get("error"), "SyntaxError")
                    continue
                result, wanted = verify_certificate(document, keys), answer["value"]
                self.assertEqual(result.valid, wanted["valid"])
                self.assertEqual([asdict(one) for one in result.problems], wanted["problems"])
                if not result.problems:
                    self.assertEqual(result.details, wanted["details"])

    def test_receipts_are_judged_alike(self) -> None:
        rng = rng_for(self)
        given = vectors("policy/decision-receipts.json")
        originals = [one["receipt"] for one in given["receipts"] if one["valid"]]
        texts = [changed_text(rng, rng.choice(originals)) for _ in range(150 * RUNS)] + HOSTILE
        questions = [{"text": text, "keys": given["keys"]} for text in texts]
        answers = Oracle.shared().ask("receipt", questions)
        for text, answer in zip(texts, answers):
            with self.subTest(text=text[:2000]):
                try:
                    document = parse_json(text)
                except ValueError:
                    self.assertEqual(answer.get("error"), "SyntaxError")
                    continue
                result = verify_receipt(document, given["keys"])
                own = {"valid": result.valid, "fault": result.fault}
                self.assertEqual(own, answer["value"])

    def test_bundles_are_judged_alike(self) -> None:
        rng = rng_for(self)
        for file in ("bundle.json", "bundle-2.json"):
            given = vectors(f"reputation/{file}")
            cases = [self.changed_lines(rng, given["lines"]) for _ in range(16 * RUNS)]
            questions = [{"lines": lines, "keys": given["keys"]} for lines in cases]
            for lines, answer in zip(cases, Oracle.shared().ask("bundle", questions)):
                changed = [line for line in lines if line not in given["lines"]]
                with self.subTest(file=file, changed=changed, lines=len(lines)):
                    own = asdict(verify_bundle(lines, given["keys"]))
                    self.assertEqual(self.on_the_wire(own), answer["value"])

    @staticmethod
    def changed_lines(rng: random.Random, lines: list[str]) -> list[str]:
        changed = list(lines)
        for _ in range(rng.choice([1, 1, 2, 4])):
            at = rng.choice([0, 0, rng.randrange(len(changed)), len(changed) - 1])
            kind = rng.randrange(6)
            if kind == 0:
                del changed[at]
            elif kind == 1:
                changed.insert(rng.randrange(len(changed) + 1), changed[at])
            elif kind == 2:
                changed[at] = rng.choice(HOSTILE)
            else:
                try:
                    changed[at] = changed_text(rng, json.loads(changed[at]))
                except (ValueError, RecursionError):
                    continue
        return changed

    @staticmethod
    def on_the_wire(own: dict[str, Any]) -> dict[str, Any]:
        return {
            "agentId": own.pop("agent_id"),
            "faultCount": own.pop("fault_count"),
            **own,
        }


class Scores(unittest.TestCase):
    def test_are_computed_alike(self) -> None:
        rng = rng_for(self)
        inputs = [self.input(rng) for _ in range(200 * RUNS)]
        answers = Oracle.shared().ask("rate", [{"input": self.wire(one)} for one in inputs])
        for given, answer in zip(inputs, answers):
            rating = asdict(rate(given))
            own = {name: rating[name] for name in answer["value"]}
            self.assertEqual(own, answer["value"], given)

    @staticmethod
    def input(rng: random.Random) -> ScoreInput:
        scored, sessions, peers = rng.randrange(2000), rng.randrange(50), rng.randrange(5)
        now = rng.randrange(2 * 10**12)
        violations = [
            Violation(
                session_id=f"s{rng.randrange(5)}",
                timestamp_ms=now - rng.randrange(100 * 86_400_000),
                card_gap=rng.random() < 0.2,
            )
            for _ in range(rng.randrange(12))
        ]
        clear, unstable = rng.randrange(scored + 1), rng.randrange(sessions + 1)
        return ScoreInput(
            now_ms=now,
            scored=scored,
            clear=clear,
            excluded=0,
            violations=tuple(violations),
            sessions=sessions,
            unstable=unstable,
            traces_verified=rng.randrange(3000),
            peers=peers,
            pair_score_e4_sum=rng.randrange(10_000 * peers + 1),
            adjustment_e4=rng.randrange(-(10**6), 10**6),
        )

    @staticmethod
    def wire(given: ScoreInput) -> dict[str, Any]:
        violations = [
            {"sessionId": one.session_id, "timestampMs": one.timestamp_ms, "cardGap": one.card_gap}
            for one in given.violations
        ]
        return {
            "nowMs": given.now_ms,
            "checkpoints": {"scored": given.scored, "clear": given.clear, "excluded": 0},
            "violations": violations,
            "sessions": {"total": given.sessions, "unstable": given.unstable},
            "tracesVerified": given.traces_verified,
            "peers": {"count": given.peers, "pairScoreE4Sum": given.pair_score_e4_sum},
            "adjustmentE4": given.adjustment_e4,
        }


P, L = ed25519.P, ed25519.L


def little_endian(value: int) -> bytes:
    return value.to_bytes(32, "little")


class Signatures(unittest.TestCase):
    """Of Ed25519: what one of the two accepts, the other must accept."""

    def verdicts(self, cases: list[tuple[bytes, bytes, bytes]]) -> list[bool]:
        questions = [
            {"signature": signature.hex(), "message": message.hex(), "key": key.hex()}
            for signature, message, key in cases
        ]
        wanted = [one["value"] for one in Oracle.shared().ask("ed25519", questions)]
        for case, verdict in zip(cases, wanted):
            with self.subTest(case=[part.hex() for part in case]):
                self.assertEqual(verify_ed25519(*case), verdict)
        return wanted

    def signed(self, rng: random.Random, count: int) -> list[tuple[bytes, bytes, bytes]]:
        seeds = [rng.randbytes(32) for _ in range(count)]
        messages = [rng.randbytes(rng.randrange(80)) for _ in range(count)]
        questions = [
            {"message": message.hex(), "seed": seed.hex()} for message, seed in zip(messages, seeds)
        ]
        answers = Oracle.shared().ask("sign", questions)
        signatures = [bytes.fromhex(one["value"]) for one in answers]
        keys = [self.public_key(seed) for seed in seeds]
        return list(zip(signatures, messages, keys))

    @staticmethod
    def public_key(seed: bytes) -> bytes:
        digest = bytearray(ed25519.hashlib.sha512(seed).digest()[:32])
        digest[0] &= 248
        digest[31] = (digest[31] & 127) | 64
        return multiply_base(int.from_bytes(digest, "little"))

    def test_genuine_ones_are_accepted(self) -> None:
        self.assertTrue(all(self.verdicts(self.signed(rng_for(self), 12 * RUNS))))

    def test_a_flipped_bit_is_refused(self) -> None:
        rng = rng_for(self)
        cases = []
        for case in self.signed(rng, 20 * RUNS):
            parts = [bytearray(part) for part in case]
            part = rng.choice([one for one in parts if one])
            part[rng.randrange(len(part))] ^= 1 << rng.randrange(8)
            cases.append((bytes(parts[0]), bytes(parts[1]), bytes(parts[2])))
        self.assertFalse(any(self.verdicts(cases)))

    def test_other_spellings_of_s_and_of_points_are_refused(self) -> None:
        (signature, message, key), *_ = self.signed(rng_for(self), 1)
        r, s = signature[:32], int.from_bytes(signature[32:], "little")
        cases = [
            (r + little_endian(s + times * L), message, key)
            for times in range(1, 16)
            if s + times * L < 2**256
        ]
        encodings = [little_endian(P + y + sign) for y in range(19) for sign in (0, 2**255)]
        encodings += [little_endian(y + 2**255) for y in (1, P - 1)]
        encodings += [little_endian(y + sign) for y in range(12) for sign in (0, 2**255)]
        encodings += [b"", bytes(31), bytes(33), b"\xff" * 32]
        cases += [(signature, message, encoded) for encoded in encodings]
        cases += [(encoded + signature[32:], message, key) for encoded in encodings]
        cases += [(signature[:63], message, key), (signature + b"\0", message, key)]
        self.assertFalse(any(self.verdicts(cases)))

    def test_points_of_small_order_and_with_a_torsion_part_are_judged_alike(self) -> None:
        rng = rng_for(self)
        torsion = torsion_points()
        self.assertEqual(len({encode(point) for point in torsion}), 8)
        cases = []
        for _ in range(40 * RUNS):
            a, r = rng.choice([0, rng.randrange(1, L)]), rng.choice([0, rng.randrange(1, L)])
            key = add(base_times(a), rng.choice(torsion))
            nonce = add(base_times(r), rng.choice(torsion))
            cases.append(self.sign_moved(rng.randbytes(8), a, r, encode(key), encode(nonce)))
        verdicts = self.verdicts(cases)
        # Both outcomes occur: a torsion part in R or the key can cancel out.
        self.assertIn(False, verdicts)

    @staticmethod
    def sign_moved(
        message: bytes, a: int, r: int, key: bytes, nonce: bytes
    ) -> tuple[bytes, bytes, bytes]:
        digest = ed25519.hashlib.sha512(nonce + key + message).digest()
        k = int.from_bytes(digest, "little") % L
        return nonce + little_endian((r + k * a) % L), message, key


Point = ed25519.Point


def encode(point: Point) -> bytes:
    return ed25519._encode(point)


def add(one: Point, other: Point) -> Point:
    return ed25519._add(one, ed25519._to_addend(other))


def times(scalar: int, point: Point) -> Point:
    total: Point = (0, 1, 1, 0)
    for bit in bin(scalar)[2:]:
        total = ed25519._double(total)
        if bit == "1":
            total = add(total, point)
    return total


def base_times(scalar: int) -> Point:
    base = ed25519._decode(4 * pow(5, -1, P) % P, 0)
    assert base is not None
    return times(scalar, base)


def multiply_base(scalar: int) -> bytes:
    return encode(base_times(scalar))


def torsion_points() -> list[Point]:
    """L times any point has an order that divides 8; one of them has all eight as multiples."""
    y = 2
    while True:
        y += 1
        point = ed25519._decode(y, 0)
        if point is None:
            continue
        small = times(L, point)
        points = [times(count, small) for count in range(8)]
        if len({encode(one) for one in points}) == 8:
            return points


if __name__ == "__main__":
    unittest.main()
