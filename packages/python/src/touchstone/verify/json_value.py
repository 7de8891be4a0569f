"""JSON as ECMAScript reads and writes it, and its canonical form (RFC 8785).

Hashes and signatures are over texts that the service writes in JavaScript. So numbers are doubles,
keys are ordered by UTF-16 code units, and values without a JSON form are rejected instead of
guessed.
"""

from __future__ import annotations

import json
import math
import re
from json.encoder import encode_basestring
from typing import Any

__all__ = ["canonical_json", "format_number", "parse_json"]

#: Deeper values are almost certainly circular.
DEPTH_MAX = 1000

SAFE_INTEGER_MAX = 2**53 - 1

SURROGATE = re.compile("[\ud800-\udfff]")


def to_double(value: int | float) -> int | float:
    """The number as ECMAScript sees it. Stays an int where a double holds it exactly."""
    if isinstance(value, int) and -SAFE_INTEGER_MAX <= value <= SAFE_INTEGER_MAX:
        return value
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_safe_integer(value: object) -> bool:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return False
    number = to_double(value)
    if isinstance(number, float) and not number.is_integer():
        return False
    return -SAFE_INTEGER_MAX <= number <= SAFE_INTEGER_MAX


def format_number(value: int | float) -> str:
    """Number::toString of ECMAScript. Raises a TypeError for numbers that are not finite."""
    number = to_double(value)
    if isinstance(number, int):
        return str(int(number))
    if not math.isfinite(number):
        raise TypeError(f"canonical JSON: {number} has no JSON form")
    if number == 0:
        return "0"
    sign = "-" if number < 0 else ""
    # Python and ECMAScript agree on the shortest digits that read back as the same double.
    mantissa, _, exponent = float.__repr__(abs(number)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    point = len(whole) + int(exponent or "0")
    digits = whole + fraction
    stripped = digits.lstrip("0")
    point -= len(digits) - len(stripped)
    return sign + _place_point(stripped.rstrip("0"), point)


def _place_point(digits: str, point: int) -> str:
    """The digits with the decimal point after `point` of them, as ECMAScript writes it."""
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    mantissa = digits if count == 1 else f"{digits[0]}.{digits[1:]}"
    return f"{mantissa}e{'+' if point > 0 else '-'}{abs(point - 1)}"


def merge_surrogates(text: str) -> str:
    """Joins pairs of surrogates into characters, as UTF-16 has them; lone ones remain."""
    if text.isascii() or SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def has_lone_surrogate(text: str) -> bool:
    if text.isascii():
        return False
    return SURROGATE.search(merge_surrogates(text)) is not None


def utf16_units(text: str) -> bytes:
    """Compares like the strings of ECMAScript, by code units."""
    return text.encode("utf-16-be", "surrogatepass")


def canonical_json(value: Any) -> str:
    """One text per value. Raises a TypeError for anything that has no JSON form."""
    pieces: list[str] = []
    # A stack instead of recursion: Python's limit is as low as the deepest value that is allowed.
    # Depth 0 marks text that is already written.
    stack: list[tuple[Any, int]] = [(value, 1)]
    while stack:
        item, depth = stack.pop()
        if depth == 0:
            pieces.append(item)
        elif isinstance(item, (dict, list, tuple)):
            if depth > DEPTH_MAX:
                raise TypeError("canonical JSON: circular or nested too deeply")
            parts = _members(item, depth) if isinstance(item, dict) else _items(item, depth)
            stack.extend(reversed(parts))
        else:
            pieces.append(_scalar(item))
    return "".join(pieces)


def _items(items: list[Any] | tuple[Any, ...], depth: int) -> list[tuple[Any, int]]:
    parts: list[tuple[Any, int]] = [("[", 0)]
    for index, item in enumerate(items):
        if index > 0:
            parts.append((",", 0))
        parts.append((item, depth + 1))
    parts.append(("]", 0))
    return parts


def _members(members: dict[Any, Any], depth: int) -> list[tuple[Any, int]]:
    parts: list[tuple[Any, int]] = [("{", 0)]
    named = {_key(key): item for key, item in members.items()}
    if len(named) < len(members):
        raise TypeError("canonical JSON: two keys are the same text in UTF-16")
    for key in sorted(named, key=utf16_units):
        prefix = "" if len(parts) == 1 else ","
        parts.append((f"{prefix}{_quote(key)}:", 0))
        parts.append((named[key], depth + 1))
    parts.append(("}", 0))
    return parts


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError("canonical JSON: only strings can be keys")
    return merge_surrogates(key)


def _quote(text: str) -> str:
    merged = merge_surrogates(text)
    if not merged.isascii() and SURROGATE.search(merged) is not None:
        raise TypeError("canonical JSON: lone surrogates have no JSON form")
    return encode_basestring(merged)


def _scalar(value: object) -> str:
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return _quote(value)
    if isinstance(value, (int, float)):
        return format_number(value)
    raise TypeError(f"canonical JSON: a {type(value).__name__} has no JSON form")


def _parse_int(text: str) -> int | float:
    # As many digits as a double always holds. The length also bounds the work for hostile numbers.
    if len(text) <= 15:
        return int(text)
    number = float(text)
    return int(number) if abs(number) <= SAFE_INTEGER_MAX else number


def _reject_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_int=_parse_int, parse_constant=_reject_constant)


def parse_json(text: str | bytes | bytearray) -> Any:
    """Reads JSON as JSON.parse does. Raises a ValueError for any other text.

    Numbers become doubles, a repeated key keeps its last value, and NaN is not JSON.
    """
    # UnicodeDecodeError is a ValueError.
    source = text if isinstance(text, str) else bytes(text).decode("utf-8")
    try:
        return _DECODER.decode(source)
    except RecursionError:
        # Without this limit, as ECMAScript: every hash rejects a value that is nested this deeply.
        return _parse_deep(source)


_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_LITERALS = {"true": True, "false": False, "null": None}


def _parse_deep(text: str) -> Any:
    """The same without recursion, and slower."""
    root: list[Any] = []
    # The open arrays and objects, with the keys that lead to them.
    opened: list[list[Any] | dict[str, Any]] = [root]
    key: str | None = None
    at = 0
    while True:
        at = _skip(text, at)
        value, at = _next_value(text, at)
        parent = opened[-1]
        if isinstance(parent, list):
            parent.append(value)
        else:
            assert key is not None
            parent[key] = value
        if isinstance(value, (list, dict)):
            opened.append(value)
            at = _skip(text, at)
            if text[at : at + 1] != ("]" if isinstance(value, list) else "}"):
                key, at = _next_key(text, at) if isinstance(value, dict) else (None, at)
                continue
        # Closes what ends here, up to the next item.
        while True:
            if len(opened) == 1:
                if _skip(text, at) != len(text):
                    raise ValueError("text after the JSON value")
                return root[0]
            at = _skip(text, at)
            sign, parent = text[at : at + 1], opened[-1]
            at += 1
            if sign == ("]" if isinstance(parent, list) else "}"):
                opened.pop()
                continue
            if sign != ",":
                raise ValueError("not JSON: a comma or an end is missing")
            if isinstance(parent, dict):
                key, at = _next_key(text, _skip(text, at))
            break


def _next_value(text: str, at: int) -> tuple[Any, int]:
    start = text[at : at + 1]
    if start == "[":
        return [], at + 1
    if start == "{":
        return {}, at + 1
    if start == '"':
        return _DECODER.raw_decode(text, at)
    for name, value in _LITERALS.items():
        if text.startswith(name, at):
            return value, at + len(name)
    found = _NUMBER.match(text, at)
    if found is None:
        raise ValueError("not JSON: a value is missing")
    whole = found[2] is None and found[3] is None
    return (_parse_int(found[1]) if whole else float(found[0])), found.end()


def _next_key(text: str, at: int) -> tuple[str, int]:
    if text[at : at + 1] != '"':
        raise ValueError("not JSON: a key is missing")
    key, at = _DECODER.raw_decode(text, at)
    at = _skip(text, at)
    if text[at : at + 1] != ":":
        raise ValueError("not JSON: a colon is missing")
    return key, at + 1


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()
