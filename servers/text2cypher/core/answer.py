"""Answers one person's question: rejects what isn't a question, runs the loop, words the rows as a sentence."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from servers.text2cypher.core.agent_loop import AgentLoop, OnAttempt
from servers.text2cypher.core.agent_state import AgentState, AgentStatus
from servers.text2cypher.core.headings import cell_text, headings
from servers.text2cypher.core.workbench import Workbench
from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.cypher.structure import parse
from servers.text2cypher.linking.hints import Hints
from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.names import parts, spaced
from servers.text2cypher.linking.values import Place, folded

MOST_SHOWN = 20
LONGEST_QUESTION = 2_000
_WRITING_CYPHER = re.compile(
    r"\b(?:detach delete|create \(|merge \(|set \w+\.\w+\s*=)|^\s*match\s*\(.*\b(?:delete|remove|set)\b",
    re.IGNORECASE | re.DOTALL,
)


def ask(bench: Workbench, loop: AgentLoop, question: str, on_attempt: OnAttempt | None = None) -> dict[str, Any]:
    """{cypher, columns, headings, rows, answer, attempts, status, confidence, doubts}.

    `status`: `success`, `uncertain` or `failed`; `headings`: the columns in words; `confidence`: 0–1 (0 if failed);
    `doubts`: sentences, why the answer is uncertain. Notes of what else could be shown stand in the answer alone. All
    texts are in the question's language.
    """
    words = languages().voice_of(question).answers
    refusal = _no_question(question, words)
    hints = bench.linker.link(question.strip()) if refusal is None else None
    if hints is not None:
        refusal = _refusal(bench, hints, words)
    if refusal is not None:
        return _result(AgentState("", question, status=AgentStatus.FAILED), refusal)
    state = loop.run("", question.strip(), on_attempt=on_attempt, hints=hints)
    if state.error:
        return _result(state, words["error"])
    if not state.success:
        return _result(state, words["failed"].format(tries=state.total_iterations))
    named = headings(state.columns, QueryFacts.of(state.final_query or ""), words)
    said = _supposing(state, words) + sentence(named, state.rows, words)
    doubts = [words[f"doubt_{doubt.kind}"].format(about=doubt.about) for doubt in state.doubts]
    names = {*bench.backend.schema.labels, *bench.backend.schema.relationships, *bench.backend.schema.properties}
    said = " ".join((said, *(words[f"note_{note.kind}"].format(about=note.about) for note in state.notes)))
    if state.status is AgentStatus.UNCERTAIN:
        taken = "; ".join(f"'{word}' = {_told(meaning, names, words)}" for word, meaning, _ in state.taken) or "-"
        query = state.final_query or ""
        why = " ".join([*doubts[:1], *(doubt[:1].upper() + doubt[1:] for doubt in doubts[1:])])
        said = words["uncertain"].format(doubts=why, answer=said, taken=taken, query=query)
    return _result(state, said, doubts, named)


def _supposing(state: AgentState, words: dict[str, str]) -> str:
    """Says which stored value a misspelt name was taken for."""
    misspelt = [(said, _in_words(stored)) for said, stored, spelling in state.taken if spelling < 1 and stored]
    return "".join(words["supposing"].format(said=said, stored=stored) for said, stored in misspelt)


def _told(meaning: str | None, names: Collection[str], words: dict[str, str]) -> str:
    """What a word was taken for, in the question's language: `greater 5` is `lebih dari 5`; the graph's names stay."""
    if meaning is None or meaning in names or meaning.startswith("'"):
        return meaning or words["nothing"]
    cue, blank, rest = meaning.partition(" ")
    return f"{words.get(f'cue_{cue}', cue)}{blank}{rest}"


def _in_words(meaning: str) -> str:
    """`reorderLevel` in words; quoted texts and single words unchanged."""
    return meaning if meaning.startswith("'") or len(parts(meaning)) < 2 else spaced(meaning)


def sentence(named: list[str], rows: list[list[Any]], words: dict[str, str]) -> str:
    """The rows as one sentence, at most MOST_SHOWN of them; `named`: the columns in words."""
    if not rows:
        return words["none"]
    if len(rows) == 1 and len(rows[0]) == 1:
        value = rows[0][0]
        if isinstance(value, bool):
            return words["yes"] if value else words["no"]
        return words["one"].format(value=_ended(cell_text(value)))
    if len(rows) == 1:
        cells = (f"{column} {cell_text(value)}" for column, value in zip(named, rows[0], strict=False))
        return words["one"].format(value=_ended(", ".join(cells)))
    shown = "; ".join(" – ".join(cell_text(value) for value in row) for row in rows[:MOST_SHOWN])
    left = len(rows) - MOST_SHOWN
    values = shown + words["more"].format(count=left) if left > 0 else _ended(shown)
    return words["many"].format(count=len(rows), values=values)


def _ended(text: str) -> str:
    """Text without the stop of its own that a sentence would double."""
    return text.removesuffix(".")


def _no_question(question: str, words: dict[str, str]) -> str | None:
    if not question.strip():
        return words["empty"]
    if len(question) > LONGEST_QUESTION:
        return words["long"].format(longest=LONGEST_QUESTION)
    if _WRITING_CYPHER.search(question):
        return words["write"]
    if _is_cypher(question):
        return words["cypher"]
    return None


def _refusal(bench: Workbench, hints: Hints, words: dict[str, str]) -> str | None:
    if bench.linker.is_to_write(hints):
        return words["write"]
    known = bench.linker.lexicon.written  # otherwise unknown words are acceptable
    if known and not hints.names_something and not languages().graph & set(folded(hints.question).split()):
        return words["unrelated"].format(labels=", ".join(bench.backend.schema.labels))
    for label, name in hints.unknown:
        if bench.may_hold(name):
            continue
        near = bench.values.nearest(Place(label, bench.linker.naming.display(label)[0]), name)
        return words["unknown"].format(name=name) + (words["near"].format(names=", ".join(near)) if near else "")
    return None


def _is_cypher(question: str) -> bool:
    try:
        return bool(parse(question).nodes)
    except ValueError:
        return False


def _result(state: AgentState, answer: str, doubts: Sequence[str] = (), named: Sequence[str] = ()) -> dict[str, Any]:
    return {
        "cypher": state.final_query,
        "columns": state.columns,
        "headings": list(named),
        "rows": state.rows,
        "answer": answer,
        "attempts": [attempt.as_dict() for attempt in state.attempts],
        "status": state.status.value,
        "confidence": state.confidence,
        "doubts": list(doubts),
    }
