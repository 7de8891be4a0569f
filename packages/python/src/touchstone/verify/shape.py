"""Shapes of documents that are verified by hash and signature: exactly these fields, with their
types.

An unknown field is rejected, because no check covers it and a reader might trust it. The checks,
not
the shapes, decide whether a value is correct.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .json_value import has_lone_surrogate, is_number, is_safe_integer, to_double

#: Enough to repair a document; a million wrong items must not produce a million messages.
PROBLEMS_MAX = 20


@dataclass(frozen=True)
class ShapeProblem:
    #: A JSON pointer (RFC 6901), such as `/proofs/chain/position`.
    path: str
    #: required, type, enum, pattern or unknown_field.
    code: str
    message: str


Shape = Callable[[Any, str], list[ShapeProblem]]


def problems_of(shape: Shape, value: Any) -> list[ShapeProblem]:
    """The first problems of a document; empty if it has the shape."""
    return shape(value, "")[:PROBLEMS_MAX]


def _wrong_type(path: str, expected: str) -> list[ShapeProblem]:
    return [ShapeProblem(path, "type", f"must be {expected}")]


def text(value: Any, path: str) -> list[ShapeProblem]:
    if not isinstance(value, str):
        return _wrong_type(path, "a string")
    # A text with a lone surrogate has no UTF-8 form, so no document that contains it can be hashed.
    if not has_lone_surrogate(value):
        return []
    return [ShapeProblem(path, "pattern", "must not contain lone surrogates")]


def number(value: Any, path: str) -> list[ShapeProblem]:
    if is_number(value) and math.isfinite(to_double(value)):
        return []
    return _wrong_type(path, "a finite number")


def integer(value: Any, path: str) -> list[ShapeProblem]:
    return [] if is_safe_integer(value) else _wrong_type(path, "a whole number up to 2^53 - 1")


def count(value: Any, path: str) -> list[ShapeProblem]:
    if is_safe_integer(value) and value >= 0:
        return []
    return _wrong_type(path, "a whole number from 0 to 2^53 - 1")


def flag(value: Any, path: str) -> list[ShapeProblem]:
    return [] if isinstance(value, bool) else _wrong_type(path, "true or false")


def anything(value: Any, path: str) -> list[ShapeProblem]:
    return []


def exactly(expected: str | None) -> Shape:
    message = f"must be {json.dumps(expected)}"

    def shape(value: Any, path: str) -> list[ShapeProblem]:
        return [] if value == expected else [ShapeProblem(path, "enum", message)]

    return shape


def one_of(expected: Sequence[str], message: str | None = None) -> Shape:
    listed = " or ".join(json.dumps(one) for one in expected)
    told = f"must be {listed}" if message is None else message

    def shape(value: Any, path: str) -> list[ShapeProblem]:
        is_known = isinstance(value, str) and value in expected
        return [] if is_known else [ShapeProblem(path, "enum", told)]

    return shape


def null_or(shape: Shape) -> Shape:
    return lambda value, path: [] if value is None else shape(value, path)


def list_of(shape: Shape) -> Shape:
    def listed(value: Any, path: str) -> list[ShapeProblem]:
        if not isinstance(value, list):
            return _wrong_type(path, "an array")
        problems: list[ShapeProblem] = []
        for index, item in enumerate(value):
            if len(problems) >= PROBLEMS_MAX:
                break
            problems += shape(item, f"{path}/{index}")
        return problems

    return listed


def obj(fields: Mapping[str, Shape], optional: Mapping[str, Shape] | None = None) -> Shape:
    """`optional` fields may be missing."""
    extra = optional or {}
    expected = {**fields, **extra}

    def shape(value: Any, path: str) -> list[ShapeProblem]:
        if not isinstance(value, dict):
            return _wrong_type(path, "an object")
        problems: list[ShapeProblem] = []
        for name, field in expected.items():
            if name in value:
                problems += field(value[name], pointer(path, name))
            elif name not in extra:
                problems.append(ShapeProblem(pointer(path, name), "required", "is missing"))
        unknown = [name for name in _ordered_keys(value) if name not in expected][:PROBLEMS_MAX]
        return problems + [
            ShapeProblem(pointer(path, name), "unknown_field", "unknown field") for name in unknown
        ]

    return shape


def pointer(path: str, key: str) -> str:
    return f"{path}/{str(key).replace('~', '~0').replace('/', '~1')}"


def _ordered_keys(value: dict[str, Any]) -> list[str]:
    """The order of ECMAScript: whole numbers come first."""
    indexes = [key for key in value if _is_index(key)]
    return sorted(indexes, key=int) + [key for key in value if not _is_index(key)]


def _is_index(key: object) -> bool:
    if not isinstance(key, str) or not key.isascii() or not key.isdigit() or len(key) > 10:
        return False
    return str(int(key)) == key and int(key) < 2**32 - 1
