"""Texts as the service accepts them in evidence.

Lengths are in UTF-16 units, as the service counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..verify.json_value import SURROGATE, canonical_json, merge_surrogates
from .tool_call import to_json_object

#: The largest text of a checkpoint (spec: evidence §4.1).
TEXT_MAX = 400_000
NAME_MAX = 256
#: Strings in the arguments of a recorded call are cut at this length (spec: provenance §2).
_ARGUMENT_MAX = 200


def utf16_length(text: str) -> int:
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def sanitise(text: str, most: int) -> str:
    """Cuts the text, and replaces NUL and lone surrogates, which the service rejects."""
    cut = text[:most]
    if cut.isascii():
        return cut.replace("\0", "\ufffd")
    units = text.encode("utf-16-le", "surrogatepass")[: 2 * most]
    cut = merge_surrogates(units.decode("utf-16-le", "surrogatepass"))
    return SURROGATE.sub("\ufffd", cut).replace("\0", "\ufffd")


def sanitise_arguments(arguments: Mapping[str, Any], most: int = TEXT_MAX) -> dict[str, Any]:
    """Without rejected characters, and with strings of at most this length.

    Arguments without a JSON form count as empty: recording a call must never make it fail.
    """
    try:
        sanitised = _sanitise_value(to_json_object(arguments), most)
        canonical_json(sanitised)
    except (TypeError, ValueError, RecursionError):
        return {}
    return dict(sanitised)


def _sanitise_value(value: Any, most: int) -> Any:
    if isinstance(value, str):
        return sanitise(value, most)
    if isinstance(value, list):
        return [_sanitise_value(item, most) for item in value]
    if isinstance(value, dict):
        return {sanitise(key, NAME_MAX): _sanitise_value(item, most) for key, item in value.items()}
    return value


def line_of(tool: str, arguments: Mapping[str, Any] | None) -> str:
    """The call itself is the model's output to analyse; the tool's result is not."""
    text = canonical_json(sanitise_arguments(arguments or {}, _ARGUMENT_MAX))
    return sanitise(f"{sanitise(tool, NAME_MAX)}({text})", TEXT_MAX)


def has_text(text: str | None) -> bool:
    return text is not None and text.strip() != ""
