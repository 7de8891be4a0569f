"""Lists that are read page by page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: The largest page sizes that every list of the kind accepts.
_PER_PAGE = 100
_LIMIT = 200


class NumberedPages:
    """By page and per_page, or by limit and offset.

    Pages shift if items are added or removed meanwhile: an item may come twice or not at all.
    """

    def __init__(self, query: Mapping[str, Any] | None) -> None:
        given = dict(query or {})
        by_offset = given.get("limit") is not None or given.get("offset") is not None
        start: dict[str, Any] = (
            {"limit": given.get("limit") or _PER_PAGE, "offset": given.get("offset") or 0}
            if by_offset
            else {"page": given.get("page") or 1, "per_page": given.get("per_page") or _PER_PAGE}
        )
        self.query: dict[str, Any] | None = {**given, **start}

    def take(self, answer: Any) -> list[Any]:
        """The elements of a page. Afterwards `query` is that of the next page, or None."""
        assert self.query is not None
        elements = _elements_of(answer)
        # The service may have lowered the size of a page.
        size = answer["per_page"]
        offset = answer.get("offset")
        if offset is None:
            end = answer["page"] * size
            more = {"page": answer["page"] + 1}
        else:
            end = offset + size
            more = {"offset": end}
        is_last = end >= answer["total"] or not elements
        self.query = None if is_last else {**self.query, **more}
        return elements


class CursorPages:
    """Unlike numbered pages, a cursor does not shift when items are added."""

    def __init__(self, query: Mapping[str, Any] | None) -> None:
        given = dict(query or {})
        self.query: dict[str, Any] | None = {**given, "limit": given.get("limit") or _LIMIT}

    def take(self, answer: Any) -> list[Any]:
        assert self.query is not None
        cursor = answer["next_cursor"]
        self.query = None if cursor is None else {**self.query, "cursor": cursor}
        return _elements_of(answer)


def _elements_of(answer: Any) -> list[Any]:
    """The one array of a page."""
    return next((value for value in answer.values() if isinstance(value, list)), [])
