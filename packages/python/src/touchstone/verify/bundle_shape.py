"""The shapes of the lines of an evidence bundle."""

from __future__ import annotations

from typing import Any

from .assurance import LEVELS, LIMITS
from .certificate import CHAIN_PROOF, record_shape
from .json_value import is_number, parse_json
from .score import COMPONENTS, METHODOLOGY
from .shape import (
    Shape,
    ShapeProblem,
    anything,
    count,
    exactly,
    flag,
    integer,
    list_of,
    null_or,
    number,
    obj,
    one_of,
    problems_of,
    text,
)

FORMAT = "touchstone-bundle-v1"
_METHODOLOGY_1 = "1.0.0"

#: In the order in which they appear.
KINDS = (
    "header",
    "trace_drift",
    "pair_score",
    "adjustment",
    "checkpoint",
    "certificate",
    "trailer",
)


def read_line(given: Any) -> tuple[str | None, Any, list[ShapeProblem]]:
    """Kind, line and problems of a line, which may be text or already parsed."""
    value = _parse(given) if isinstance(given, (str, bytes, bytearray)) else given
    kind = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in KINDS:
        return None, value, [ShapeProblem("/kind", "enum", "must be a kind of bundle line")]
    return kind, value, problems_of(_LINES[kind], value)


def _parse(given: str | bytes | bytearray) -> Any:
    try:
        return parse_json(given)
    except ValueError:
        return None


def is_methodology_2(header: dict[str, Any]) -> bool:
    return "methodology" in header


def _sealed(kind: str, value: Shape) -> Shape:
    return obj({"kind": exactly(kind), "value": value, "digest": text})


_PUBLISHED: dict[str, Shape] = {
    "score": count,
    "grade": text,
    "tier": text,
    "confidence": text,
    "checkpoint_count": count,
    "components": obj({key: count for key in COMPONENTS}),
    "computed_at": text,
    "chain_length": count,
    "tree_size": count,
    "root": text,
}
#: Of a peer of the same organisation, and of another.
PAIR_WEIGHTS = (0.5, 1)
_BASIS: dict[str, Shape] = {
    "checkpoints": obj({"scored": count, "clear": count, "excluded": count}),
    "sessions": obj({"total": count, "unstable": count}),
    "adjustment_e4": integer,
}
_PAIR_SCORES: dict[str, Shape] = {"count": count, "pair_score_e4_sum": count}
_HEADER: dict[str, Shape] = {
    "format": exactly(FORMAT),
    "agent_id": text,
    "tree_head": obj({"leaf_count": count, "merkle_root": text, "key_id": text, "signature": text}),
}


def _level(value: Any, path: str) -> list[ShapeProblem]:
    if is_number(value) and value in range(len(LEVELS)):
        return []
    return [ShapeProblem(path, "enum", "must be an assurance level")]


def _weight(value: Any, path: str) -> list[ShapeProblem]:
    if is_number(value) and value in PAIR_WEIGHTS:
        return []
    return [ShapeProblem(path, "enum", "must be 0.5 or 1")]


_HEADER_1 = obj(
    {
        **_HEADER,
        "methodology_version": exactly(_METHODOLOGY_1),
        "published": obj(_PUBLISHED),
        "basis": obj({**_BASIS, "peers": obj(_PAIR_SCORES), "traces_stored": count}),
    }
)
_HEADER_2 = obj(
    {
        **_HEADER,
        "methodology": exactly(METHODOLOGY),
        "published": obj(
            {
                **_PUBLISHED,
                "assurance": obj(
                    {
                        "level": _level,
                        "observed_share": number,
                        "relayed_share": number,
                        "days": count,
                        "span_days": count,
                        "effective_checkpoints": count,
                        "limits": list_of(one_of(tuple(LIMITS), "must be a limit of assurance")),
                    }
                ),
                "assured_score": count,
            }
        ),
        "basis": obj(
            {
                **_BASIS,
                "peers": obj(_PAIR_SCORES, {"across_orgs": obj(_PAIR_SCORES)}),
                "traces_verified": count,
                "assurance": obj(
                    {
                        "claimed": flag,
                        "decisions_allowed": count,
                        "outcomes_known": count,
                        "witnessed": flag,
                    }
                ),
            }
        ),
    }
)


def _header(value: Any, path: str) -> list[ShapeProblem]:
    """Older bundles state the version of their methodology under another name."""
    is_first = isinstance(value, dict) and "methodology_version" in value
    return (_HEADER_1 if is_first else _HEADER_2)(value, path)


_LINES: dict[str, Shape] = {
    "header": _sealed("header", _header),
    "trace_drift": _sealed(
        "trace_drift", obj({"alert_id": text, "session_id": text, "detected_at": text})
    ),
    "pair_score": _sealed(
        "pair_score",
        obj(
            {"peer_id": null_or(text), "pair_score_e4": count, "checked_at": text},
            {"weight": _weight},
        ),
    ),
    "adjustment": _sealed(
        "adjustment", obj({"adjustment_id": text, "points_e4": integer, "valid_until": text})
    ),
    "checkpoint": _sealed(
        "checkpoint",
        obj(
            {
                "record": record_shape,
                "chain": CHAIN_PROOF,
                "leaf_index": null_or(count),
                "flags": list_of(text),
                "excluded_from_score": flag,
                "reclassification": null_or(text),
            },
            {"received_at": text},
        ),
    ),
    # Any value, because the certificate's shape is checked by its own verification.
    "certificate": _sealed("certificate", anything),
    "trailer": obj(
        {
            "kind": exactly("trailer"),
            "value": obj({"lines": count, "digest": text, "key_id": text, "signature": text}),
        }
    ),
}
