"""The score as a bundle states it, and as it follows from its lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .assurance import assess, assured_score
from .bundle_walk import WalkEnd
from .score import COMPONENTS, ScoreInput, rate


@dataclass(frozen=True)
class BundleScore:
    score: int | None
    grade: str
    tier: str
    confidence: str
    checkpoint_count: int
    components: dict[str, int] | None
    #: None in methodology 1.
    assurance: dict[str, Any] | None
    assured_score: int | None


def published_score(header: dict[str, Any]) -> BundleScore:
    published = header["published"]
    return BundleScore(
        score=published["score"],
        grade=published["grade"],
        tier=published["tier"],
        confidence=published["confidence"],
        checkpoint_count=published["checkpoint_count"],
        components=published["components"],
        assurance=published.get("assurance"),
        assured_score=published.get("assured_score"),
    )


def recomputed_score(header: dict[str, Any], given: ScoreInput, end: WalkEnd) -> BundleScore:
    rating = rate(given)
    assurance = None
    if end.assurance is not None:
        asserted = header["basis"]["assurance"]
        for name in ("claimed", "decisions_allowed", "outcomes_known", "witnessed"):
            setattr(end.assurance, name, asserted[name])
        assurance = assess(end.assurance)
    assured = None
    if rating.conservative_score is not None and assurance is not None:
        assured = assured_score(rating.conservative_score, assurance["level"])
    return BundleScore(
        score=rating.score,
        grade=rating.grade,
        tier=rating.tier,
        confidence=rating.confidence,
        checkpoint_count=rating.checkpoint_count,
        components=rating.components,
        assurance=assurance,
        assured_score=assured,
    )


_ASSURANCE_FIELDS = (
    "level",
    "observed_share",
    "relayed_share",
    "days",
    "span_days",
    "effective_checkpoints",
    "limits",
)


def differences(published: BundleScore, recomputed: BundleScore) -> list[str]:
    """The names of the figures that differ."""
    names = ("score", "grade", "tier", "confidence", "checkpoint_count", "assured_score")
    different = [name for name in names if getattr(published, name) != getattr(recomputed, name)]
    of_components = (published.components or {}, recomputed.components or {})
    different += [
        f"components/{key}"
        for key in COMPONENTS
        if of_components[0].get(key) != of_components[1].get(key)
    ]
    of_assurance = (published.assurance or {}, recomputed.assurance or {})
    return different + [
        f"assurance/{name}"
        for name in _ASSURANCE_FIELDS
        if of_assurance[0].get(name) != of_assurance[1].get(name)
    ]
