"""Generate → validate → refine, at most `max_iterations` times. Knows no endpoint and no engine.

If readings cover every word of the question, the first is the query, and a model that would be held to a grammar isn't
asked: it would only choose among them, with worse results than their order. Such a reading also replaces a model that
doesn't answer.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, Protocol

from servers.text2cypher.config import Aids, Settings
from servers.text2cypher.core.agent_state import AgentState, AgentStatus, Attempt, Doubt, ErrorType, ValidationResult
from servers.text2cypher.core.confidence import assess, repeats
from servers.text2cypher.core.likeliest import MOST_SCORED, likeliest, scored
from servers.text2cypher.core.llm_client import Completion, Constraint, LLMError, Message
from servers.text2cypher.core.meant import MOST_RUN, doubts_of_choice
from servers.text2cypher.core.response import Answer, parse_response
from servers.text2cypher.core.workbench import Workbench
from servers.text2cypher.data import Example
from servers.text2cypher.grammar.readings import Reading
from servers.text2cypher.graph.backend import GraphUnavailableError, QueryError
from servers.text2cypher.linking.describe import describe
from servers.text2cypher.linking.hints import Hints
from servers.text2cypher.linking.language import message
from servers.text2cypher.linking.nearby import nearby
from servers.text2cypher.prompts import PromptType, SchemaFormat
from servers.text2cypher.validators import PipelineResult

OnAttempt = Callable[[Attempt], None]
WARMER = 0.7  # for further candidates, which would otherwise repeat the first


class Model(Protocol):
    """What the loop needs of a model (core.llm_client.LLMClient)."""

    @property
    def constraint(self) -> Constraint:
        """What it can constrain its answers to."""

    def complete(
        self, messages: list[Message], *, grammar: str | None = None, temperature: float | None = None
    ) -> Completion:
        """One answer. Raises LLMError."""


@dataclass
class _Turn:
    """One generation: what was written, its cost, and the validators' verdict on the chosen query."""

    answer: Answer
    verdict: PipelineResult
    candidates: tuple[str, ...] = ()
    prompt_tokens: int = 0
    completion_tokens: int = 0
    written_by: Literal["model", "reading"] = "model"


class AgentLoop:
    """The loop for one prompt type and schema format over one workbench."""

    def __init__(
        self,
        workbench: Workbench,
        model: Model,
        *,
        prompt_type: PromptType = PromptType.FEW_SHOT,
        schema_format: SchemaFormat = SchemaFormat.FULL_SCHEMA,
        settings: Settings | None = None,
    ) -> None:
        self._bench, self._model = workbench, model
        self._prompt_type, self._schema_format = prompt_type, schema_format
        self._settings = settings or Settings()

    @property
    def _aids(self) -> Aids:
        return self._settings.aids

    @property
    def _writes_by_grammar(self) -> bool:
        return self._aids.grammar and self._model.constraint == "grammar"

    def run(
        self,
        question_id: str,
        question: str,
        ground_truth_query: str | None = None,
        on_attempt: OnAttempt | None = None,
        hints: Hints | None = None,
    ) -> AgentState:
        """Runs the whole loop for one question; `hints`: its own, if it is linked already.

        If the model doesn't answer, the run fails with `error` set, unless a reading covers a person's question.
        """
        state = AgentState(question_id, question, ground_truth_query)
        held = hints or self._bench.linker.link(question)
        hints = held if self._aids.linking else None
        readings, covers = self._readings(hints) if self._writes_by_grammar else ([], False)
        for iteration in range(1, self._settings.max_iterations + 1):
            state.status = AgentStatus.GENERATING if iteration == 1 else AgentStatus.REFINING
            started = time.monotonic()
            try:
                turn = (self._read(readings, held) if iteration == 1 else None) or self._generate(hints, state)
            except LLMError as error:
                if not covers and ground_truth_query is None:  # a study measures the model
                    readings, covers = self._readings(hints)
                spare = self._read(readings, held) if covers else None
                if spare is None:
                    state.status, state.error = AgentStatus.FAILED, str(error)
                    return state
                turn = spare
            state.status = AgentStatus.VALIDATING
            results = list(turn.verdict.validation_results)
            feedback = self._bench.feedback.build_feedback(results, turn.answer.query)
            attempt = Attempt(
                iteration,
                turn.answer.query,
                results,
                turn.answer.reasoning,
                feedback,
                turn.prompt_tokens,
                turn.completion_tokens,
                time.monotonic() - started,
                turn.candidates,
                turn.written_by,
            )
            state.add_attempt(attempt)
            if on_attempt is not None:
                on_attempt(attempt)
            finds_nothing = covers and attempt.written_by == "reading" and attempt.error_type is ErrorType.EMPTY_RESULT
            if attempt.is_valid or (finds_nothing and ground_truth_query is None):
                return self._finish(state, held, readings if covers else [], attempt, turn.verdict)
        state.status = AgentStatus.FAILED
        return state

    # -- one turn

    def _messages(self, question: str, hints: Hints | None, attempts: Sequence[Attempt]) -> list[Message]:
        """Schema, hints and examples for every model, because the answering provider may support no grammar.

        Each attempt with its feedback follows.
        """
        bench = self._bench
        examples = self._examples(question, hints)
        linked = [bench.described(held.question) if self._aids.linking else "" for held in examples]
        messages = bench.prompts.messages(
            self._prompt_type,
            self._schema_format,
            question,
            hints=describe(hints) if hints is not None else "",
            examples=list(zip(examples, linked, strict=True)),
            schema=nearby(bench.backend.schema, hints) if self._writes_by_grammar else None,
        )
        for attempt in attempts:
            messages.append({"role": "assistant", "content": f"<cypher>{attempt.query or message('blank')}</cypher>"})
            messages.append({"role": "user", "content": attempt.feedback})
        return messages

    def _examples(self, question: str, hints: Hints | None) -> list[Example]:
        if self._prompt_type is not PromptType.FEW_SHOT:
            return []
        if self._aids.examples:
            return self._bench.picked(hints or self._bench.linker.link(question), self._settings.examples)
        return [example for example in self._bench.examples if example.core]

    def _readings(self, hints: Hints | None) -> tuple[list[str], bool]:
        """(the possible queries of a question, most likely first; True if they cover every word of it)."""
        if hints is None or not hints.names_something:
            return [], False
        bench, doubts, supposed, empty = self._bench, dict[str, int](), list[Reading](), list[Reading]()
        makers = [bench.reader.readings] if bench.linker.lexicon.written else []
        for held, make in product(bench.linker.supposing(hints), [*makers, bench.composer.readings]):
            made = make(held)
            found = self._finding_something(made) if self._aids.execution else made
            if held != hints:
                supposed += found
                continue
            empty += [one for one in made if one not in found]
            doubts |= scored(found, hints, bench.linker)
            if 0 in doubts.values():
                return likeliest(doubts, hints, bench.linker), True
        if 0 in (none := scored(empty, hints, bench.linker)).values():  # `courses without topics`: there are none
            return likeliest(none, hints, bench.linker), True
        doubts |= scored(supposed, hints, bench.linker, max(MOST_SCORED - len(doubts), 0))
        return likeliest(doubts, hints, bench.linker), False

    def _finding_something(self, readings: list[Reading]) -> list[Reading]:
        """The readings whose pattern matches something; all of them if none does."""
        return [one for one in readings if self._rows(f"{one.match} RETURN 1 LIMIT 1")] or readings

    def _read(self, readings: list[str], hints: Hints) -> _Turn | None:
        """The first of a few queries that finds something, else the first; None if all only repeat the question."""
        tried: list[tuple[str, PipelineResult]] = []
        for query in readings[: MOST_RUN if self._aids.execution else 1]:
            verdict = self._validate(query)
            rows = verdict.result.rows if verdict.result is not None else []
            if not repeats([cell for row in rows for cell in row], hints):
                tried.append((query, verdict))
                if verdict.is_valid:
                    break
        found = [one for one in tried if one[1].is_valid] or tried[:1]
        return _Turn(Answer(found[0][0], ""), found[0][1], written_by="reading") if found else None

    def _generate(self, hints: Hints | None, state: AgentState) -> _Turn:
        grammar = None
        if self._writes_by_grammar:
            thinking = self._prompt_type is PromptType.CHAIN_OF_THOUGHT
            grammar = self._bench.schema_grammar(thinking=thinking, hints=hints if self._aids.linking else None)
        messages = self._messages(state.question, hints, state.attempts)
        written: list[tuple[Answer, PipelineResult]] = []
        prompt_tokens = completion_tokens = 0
        for number in range(max(self._aids.candidates, 1)):
            completion = self._model.complete(messages, grammar=grammar, temperature=WARMER if number else None)
            prompt_tokens += completion.prompt_tokens
            completion_tokens += completion.completion_tokens
            answer = parse_response(completion.text)
            written.append((answer, self._validate(answer.query)))
        answer, verdict = self._choose(written)
        candidates = tuple(held.query for held, _ in written) if len(written) > 1 else ()
        return _Turn(answer, verdict, candidates, prompt_tokens, completion_tokens)

    def _validate(self, query: str) -> PipelineResult:
        if query:
            return self._bench.pipeline.validate(query)
        missing = ValidationResult(False, ErrorType.SYNTAX_ERROR, message("no_query"), "syntax")
        return PipelineResult(query, [missing], None)

    def _choose(self, written: list[tuple[Answer, PipelineResult]]) -> tuple[Answer, PipelineResult]:
        """The candidate whose result most candidates share; without execution the first valid one."""
        valid = [pair for pair in written if pair[1].is_valid]
        if not valid:
            return written[0]
        if not self._aids.execution:
            return valid[0]
        votes = Counter(_result_key(verdict) for _, verdict in valid)
        return max(valid, key=lambda pair: votes[_result_key(pair[1])])

    def _finish(
        self, state: AgentState, hints: Hints, readings: list[str], attempt: Attempt, verdict: PipelineResult
    ) -> AgentState:
        state.final_query = attempt.query
        if verdict.result is not None:
            held = verdict.result
            state.columns, state.rows, state.truncated = held.columns, held.rows, held.truncated
        linker = self._bench.linker
        others = doubts_of_choice(hints, attempt.query, state.rows, readings, linker, self._rows)
        by_names = attempt.written_by == "reading" or not linker.lexicon.written
        if self._writes_by_grammar and by_names and attempt.query not in readings:
            others = [Doubt("guessed")]  # without a covering reading the query is mostly wrong
        assess(state, hints, linker, self._rows, others)
        return state

    def _rows(self, query: str) -> list[list[Any]] | None:
        try:
            return self._bench.backend.run(query).rows
        except (QueryError, GraphUnavailableError):
            return None


def _result_key(verdict: PipelineResult) -> str:
    rows = verdict.result.rows if verdict.result is not None else []
    return repr(sorted(repr(row) for row in rows))
