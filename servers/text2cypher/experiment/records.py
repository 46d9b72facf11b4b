"""One question's outcome as a record: JSON for the checkpoint, a CSV row for the results. Computes no metric."""

from __future__ import annotations

import json
from typing import Any

from servers.text2cypher.core.agent_state import AgentState, AgentStatus, Attempt, ErrorType, ValidationResult
from servers.text2cypher.data import GroundTruthItem

Record = dict[str, Any]
COLUMNS = """
    question_id question ground_truth_query generated_query success total_iterations first_attempt_valid bleu rouge_l_f1
    jaro_winkler jaccard_cypher pass_at_1 jaccard_output kg_valid llmetric_q status hops sublevel complexity confidence
    doubts error prompt_tokens completion_tokens attempts
""".split()


def to_record(item: GroundTruthItem, state: AgentState, scores: dict[str, Any]) -> Record:
    """Everything that a report or a resumed run needs, as JSON values."""
    return {
        "question_id": item.question_id,
        "question": item.question,
        "ground_truth_query": item.cypher,
        "generated_query": state.final_query or "",
        "success": state.success,
        "total_iterations": state.total_iterations,
        "first_attempt_valid": state.first_attempt_valid,
        **scores,
        "status": state.status.value,
        "hops": item.hops,
        "sublevel": item.sublevel,
        "complexity": item.complexity,
        "confidence": state.confidence,
        "doubts": "; ".join(f"{doubt.kind}: {doubt.about}" for doubt in state.doubts),
        "error": state.error or "",
        "prompt_tokens": sum(attempt.prompt_tokens for attempt in state.attempts),
        "completion_tokens": sum(attempt.completion_tokens for attempt in state.attempts),
        "duration_s": round(sum(attempt.duration_s for attempt in state.attempts), 3),
        "attempts": [
            attempt.as_dict() | {"feedback": attempt.feedback, "reasoning": attempt.reasoning}
            for attempt in state.attempts
        ],
    }


def to_state(record: Record) -> AgentState:
    """The state restored as far as the loop's metrics need it."""
    state = AgentState(record["question_id"], record["question"], record["ground_truth_query"])
    for held in record["attempts"]:
        results = [
            ValidationResult(
                r["is_valid"],
                ErrorType(r["error_type"]) if r["error_type"] else None,
                r["error_message"],
                r["validator"],
            )
            for r in held["validation"]
        ]
        state.add_attempt(Attempt(held["iteration"], held["query"], results))
    state.status = AgentStatus(record["status"])
    state.final_query = record["generated_query"] or None
    return state


def to_row(record: Record) -> Record:
    """The record with its attempts as one JSON field, in the order of COLUMNS."""
    row = {name: record.get(name, "") for name in COLUMNS}
    row["attempts"] = json.dumps(record["attempts"], ensure_ascii=False)
    return row
