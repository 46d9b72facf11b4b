"""The state of the loop for one question. Data only."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal


class AgentStatus(Enum):
    """The stage of the loop."""

    IDLE = "idle"
    GENERATING = "generating"
    VALIDATING = "validating"
    REFINING = "refining"
    SUCCESS = "success"
    FAILED = "failed"
    UNCERTAIN = "uncertain"  # a valid query, but not certainly the right one


class ErrorType(Enum):
    """The errors that a validator can find."""

    SYNTAX_ERROR = "syntax_error"
    SCHEMA_ERROR = "schema_error"
    PROPERTIES_ERROR = "properties_error"
    EXECUTION_ERROR = "execution_error"
    EMPTY_RESULT = "empty_result"


@dataclass(frozen=True)
class ValidationResult:
    """One validator's verdict."""

    is_valid: bool
    error_type: ErrorType | None = None
    error_message: str | None = None
    validator: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The wire form: {validator, is_valid, error_type, error_message}."""
        return {
            "validator": self.validator,
            "is_valid": self.is_valid,
            "error_type": self.error_type.value if self.error_type else None,
            "error_message": self.error_message,
        }


@dataclass(frozen=True)
class Attempt:
    """One query and its verdict; token counts are the model's own.

    `written_by`: `model`, or `reading` if the question's words alone decided and no model was asked.
    """

    iteration: int
    query: str
    validation_results: list[ValidationResult]
    reasoning: str = ""
    feedback: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    duration_s: float = 0.0
    candidates: tuple[str, ...] = ()
    written_by: Literal["model", "reading"] = "model"

    @property
    def is_valid(self) -> bool:
        """True if every validator that ran found no error."""
        return bool(self.validation_results) and all(result.is_valid for result in self.validation_results)

    @property
    def error_type(self) -> ErrorType | None:
        """The first error found, or None."""
        return next((r.error_type for r in self.validation_results if not r.is_valid), None)

    def as_dict(self) -> dict[str, Any]:
        """The wire form: {iteration, query, validation, written_by}."""
        return {
            "iteration": self.iteration,
            "query": self.query,
            "validation": [result.as_dict() for result in self.validation_results],
            "written_by": self.written_by,
        }


@dataclass(frozen=True)
class Doubt:
    """One reason to distrust an answer: `kind` selects the sentence, `about` is the word or value it mentions."""

    kind: str
    about: str = ""


@dataclass
class AgentState:
    """The whole run of one question. `columns` and `rows`: the final query's result if it was run.

    `truncated`: there were more rows than the engine's limit.

    `confidence`: 0–1 (core.confidence); `taken`: (word, its meaning in the query or None, spelling similarity).
    """

    question_id: str
    question: str = ""
    ground_truth_query: str | None = None
    attempts: list[Attempt] = field(default_factory=list)
    status: AgentStatus = AgentStatus.IDLE
    final_query: str | None = None
    columns: list[str] = field(default_factory=list)
    rows: list[list[Any]] = field(default_factory=list)
    truncated: bool = False
    error: str | None = None
    confidence: float = 0.0
    doubts: list[Doubt] = field(default_factory=list)
    notes: list[Doubt] = field(default_factory=list)
    taken: list[tuple[str, str | None, float]] = field(default_factory=list)

    @property
    def success(self) -> bool:
        """True if the loop ended with a valid query, certain or not (the study's `success`)."""
        return self.status in (AgentStatus.SUCCESS, AgentStatus.UNCERTAIN)

    @property
    def total_iterations(self) -> int:
        """The number of attempts."""
        return len(self.attempts)

    @property
    def first_attempt_valid(self) -> bool:
        """True if no validator found an error in the first query; a retry by the self-check isn't an error."""
        return bool(self.attempts) and bool(self.attempts[0].validation_results) and not self.attempts[0].error_type

    def add_attempt(self, attempt: Attempt) -> None:
        """Adds an attempt; its query becomes the current final one."""
        self.attempts.append(attempt)
        self.final_query = attempt.query
