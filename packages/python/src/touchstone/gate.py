"""Whether an agent's reputation is good enough, by its assured score and its assurance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .verify.assurance import LEVELS
from .verify.json_value import format_number
from .verify.score import GRADES, NOT_RATED, standing_of

_GRADES = [grade for grade, _, _ in GRADES]


@dataclass(frozen=True)
class GateOptions:
    min_score: float | None = None
    min_grade: str | None = None
    #: The lowest assurance level that is allowed; 0 allows any.
    min_assurance: int = 1
    #: Compare the low end of the score's interval, without the cap of the assurance level.
    conservative: bool = False
    #: Compare the score itself, which can be made of the agent's own claims alone.
    raw: bool = False

    def __post_init__(self) -> None:
        if self.min_score is None and self.min_grade is None:
            raise ValueError("reputation_gate: min_score or min_grade is required")
        if self.raw and self.conservative:
            raise ValueError("reputation_gate: raw and conservative exclude each other")
        if self.min_grade is not None and self.min_grade not in _GRADES:
            raise ValueError(f"reputation_gate: min_grade must be one of {', '.join(_GRADES)}")
        if self.min_assurance not in range(len(LEVELS)):
            raise ValueError("reputation_gate: min_assurance must be from 0 to 4")


@dataclass(frozen=True)
class GateOutcome:
    allowed: bool
    agent_id: str
    #: The number that was compared, by default the assured score; None if there is none.
    score: float | None
    #: The grade of that number.
    grade: str
    #: None if there is no assurance yet.
    assurance: int | None
    #: Why the agent is not allowed, in whole sentences; empty if it is.
    reasons: list[str]


def unknown_agent(agent_id: str) -> GateOutcome:
    return GateOutcome(False, agent_id, None, NOT_RATED[0], None, ["The agent was not found."])


def evaluate_gate(reputation: Any, options: GateOptions) -> GateOutcome:
    score = _compared_score(reputation, options)
    grade = reputation["grade"] if options.raw else _grade_of(score)
    assurance = _level_of(reputation)
    reasons = [
        *_score_reasons(score, options.min_score),
        *_grade_reasons(grade, options.min_grade),
        *_assurance_reasons(assurance, options.min_assurance),
    ]
    return GateOutcome(not reasons, reputation["agent_id"], score, grade, assurance, reasons)


def _compared_score(reputation: Any, options: GateOptions) -> Any:
    if options.raw:
        return reputation["score"]
    return reputation["conservative_score" if options.conservative else "assured_score"]


def _grade_of(score: float | None) -> str:
    return NOT_RATED[0] if score is None else standing_of(score)[0]


def _level_of(reputation: Any) -> int | None:
    level = (reputation.get("assurance") or {}).get("level")
    return level if isinstance(level, int) and level in range(len(LEVELS)) else None


def _score_reasons(score: float | None, least: float | None) -> list[str]:
    if least is None:
        return []
    if score is None:
        return ["The agent has no score yet."]
    if score >= least:
        return []
    return [f"The score is {format_number(score)}; at least {format_number(least)} is needed."]


def _grade_reasons(grade: str, least: str | None) -> list[str]:
    if least is None:
        return []
    if grade not in _GRADES:
        return ["The agent has no grade yet."]
    # From best to worst.
    if _GRADES.index(grade) <= _GRADES.index(least):
        return []
    return [f"The grade is {grade}; at least {least} is needed."]


def _assurance_reasons(level: int | None, least: int) -> list[str]:
    if least == 0:
        return []
    wanted = f"at least {least} ({LEVELS[least][0]}) is needed"
    if level is None:
        return [f"The agent has no assurance level yet; {wanted}."]
    if level >= least:
        return []
    return [f"The assurance level is {level} ({LEVELS[level][0]}); {wanted}."]
