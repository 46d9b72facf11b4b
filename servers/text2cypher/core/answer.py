"""Answers one person's question: refuses what isn't one, runs the loop, puts rows into a sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from servers.text2cypher.core.agent_loop import AgentLoop, OnAttempt
from servers.text2cypher.core.agent_state import AgentState, AgentStatus
from servers.text2cypher.core.workbench import Workbench
from servers.text2cypher.linking.values import Place

MOST_SHOWN = 20
LONGEST_QUESTION = 2_000
_WRITES = re.compile(
    r"^\W*(?:tolong |mohon |please )?(?:hapus|ubah|ganti|tambah|tambahkan|perbarui|buatkan? (?:node|mata|relasi)|"
    r"masukkan|delete|remove|update|insert|create|drop|set|merge)\b"
    r"|\b(?:detach delete|create \(|merge \(|set \w+\.\w+\s*=)",
    re.IGNORECASE,
)
_ENGLISH = re.compile(r"\b(?:what|which|who|how|is|are|does|do|the|list|show|of)\b", re.IGNORECASE)
_INDONESIAN = re.compile(
    r"\b(?:apa|apakah|berapa|mana|sebutkan|tampilkan|yang|dari|pada|mata|kuliah|di)\b", re.IGNORECASE
)
_WORDS = {
    "id": {
        "empty": "Pertanyaannya kosong. Tulis apa yang ingin diketahui dari graf.",
        "long": f"Pertanyaannya terlalu panjang (lebih dari {LONGEST_QUESTION} karakter). Persingkat pertanyaannya.",
        "write": "Graf ini hanya bisa dibaca; permintaan untuk mengubahnya tidak dijalankan.",
        "unrelated": "Pertanyaan ini tidak menyebut apa pun yang ada di graf. Graf ini berisi: {labels}.",
        "unknown": "{name} tidak ada di graf.",
        "near": " Yang paling mirip: {names}.",
        "failed": "Belum ada query yang menjawab pertanyaan ini setelah {tries} percobaan.",
        "error": "Model bahasa tidak menjawab, jadi pertanyaan ini belum bisa dijawab. Coba lagi nanti.",
        "yes": "Ya.",
        "no": "Tidak.",
        "none": "Tidak ada data yang cocok di graf.",
        "one": "Jawabannya: {value}.",
        "many": "Ditemukan {count} hasil: {values}.",
        "more": ", dan {count} lagi",
        "supposing": "Menganggap '{said}' = {stored}. ",
        "uncertain": "Belum pasti: {doubts} Hasilnya: {answer} Kata-kata dibaca sebagai: {taken}. Query: {query}",
        "nothing": "tidak dipakai",
        "doubt_unused": "kata '{about}' tidak dipakai dalam query.",
        "doubt_unasked": "query mensyaratkan '{about}', yang tidak ditanyakan.",
        "doubt_direction": "arah relasi {about} tidak pasti.",
        "doubt_empty": "query tidak menemukan apa pun.",
        "doubt_repeats": "jawabannya hanya mengulang '{about}' dari pertanyaan.",
        "doubt_everything": "query menampilkan semua tanpa syarat.",
    },
    "en": {
        "empty": "The question is empty. Write what you want to know from the graph.",
        "long": f"The question is too long (more than {LONGEST_QUESTION} characters). Make it shorter.",
        "write": "This graph can only be read; the request to change it was not carried out.",
        "unrelated": "This question names nothing that is in the graph. The graph holds: {labels}.",
        "unknown": "{name} is not in the graph.",
        "near": " The most similar: {names}.",
        "failed": "No query answers this question after {tries} attempts.",
        "error": "The language model gave no answer, so this question can't be answered yet. Try again later.",
        "yes": "Yes.",
        "no": "No.",
        "none": "Nothing in the graph matches.",
        "one": "The answer: {value}.",
        "many": "Found {count} results: {values}.",
        "more": ", and {count} more",
        "supposing": "Supposing '{said}' = {stored}. ",
        "uncertain": "Not certain: {doubts} The result: {answer} The words were taken for: {taken}. Query: {query}",
        "nothing": "not used",
        "doubt_unused": "the word '{about}' is not used in the query.",
        "doubt_unasked": "the query tests for '{about}', which the question doesn't name.",
        "doubt_direction": "the direction of {about} is not certain.",
        "doubt_empty": "the query found nothing.",
        "doubt_repeats": "the answer only repeats '{about}' from the question.",
        "doubt_everything": "the query shows everything, without a condition.",
    },
}


def ask(bench: Workbench, loop: AgentLoop, question: str, on_attempt: OnAttempt | None = None) -> dict[str, Any]:
    """{cypher, columns, rows, answer, attempts, status, confidence, doubts}; status: `success`, `uncertain`, `failed`.

    `confidence` is 0–1 (0 when failed), `doubts` sentences in the question's language.
    """
    words = _WORDS[language_of(question)]
    if refusal := _refusal(bench, question, words):
        return _result(AgentState("", question, status=AgentStatus.FAILED), refusal)
    state = loop.run("", question.strip(), on_attempt=on_attempt)
    if state.error:
        return _result(state, words["error"])
    if not state.success:
        return _result(state, words["failed"].format(tries=state.total_iterations))
    said = _supposing(state, words) + sentence(state.columns, state.rows, words)
    doubts = [words[f"doubt_{doubt.kind}"].format(about=doubt.about) for doubt in state.doubts]
    if state.status is AgentStatus.UNCERTAIN:
        taken = "; ".join(f"'{word}' = {meaning or words['nothing']}" for word, meaning, _ in state.taken) or "-"
        query = state.final_query or ""
        said = words["uncertain"].format(doubts=" ".join(doubts), answer=said, taken=taken, query=query)
    return _result(state, said, doubts)


def _supposing(state: AgentState, words: dict[str, str]) -> str:
    """What a misspelt name was taken for."""
    misspelt = [(said, stored) for said, stored, spelling in state.taken if spelling < 1]
    return "".join(words["supposing"].format(said=said, stored=stored) for said, stored in misspelt)


def language_of(question: str) -> str:
    """`en` for a question plainly in English, else `id`."""
    return "en" if len(_ENGLISH.findall(question)) > len(_INDONESIAN.findall(question)) else "id"


def sentence(columns: list[str], rows: list[list[Any]], words: dict[str, str]) -> str:
    """The rows as one sentence; at most MOST_SHOWN of them."""
    if not rows:
        return words["none"]
    if len(rows) == 1 and len(rows[0]) == 1:
        value = rows[0][0]
        if isinstance(value, bool):
            return words["yes"] if value else words["no"]
        return words["one"].format(value=_text(value))
    if len(rows) == 1:
        named = (f"{_short(column)} {_text(value)}" for column, value in zip(columns, rows[0], strict=False))
        return words["one"].format(value=", ".join(named))
    shown = "; ".join(" – ".join(_text(value) for value in row) for row in rows[:MOST_SHOWN])
    left = len(rows) - MOST_SHOWN
    return words["many"].format(count=len(rows), values=shown + (words["more"].format(count=left) if left > 0 else ""))


def _refusal(bench: Workbench, question: str, words: dict[str, str]) -> str | None:
    if not question.strip():
        return words["empty"]
    if len(question) > LONGEST_QUESTION:
        return words["long"]
    if _WRITES.search(question):
        return words["write"]
    hints = bench.linker.link(question)
    if not (hints.labels or hints.mentions or hints.properties or hints.relations):
        return words["unrelated"].format(labels=", ".join(bench.backend.schema.labels))
    if hints.unknown:
        label, name = hints.unknown[0]
        near = bench.values.nearest(Place(label, bench.linker.display(label)[0]), name)
        return words["unknown"].format(name=name) + (words["near"].format(names=", ".join(near)) if near else "")
    return None


def _result(state: AgentState, answer: str, doubts: Sequence[str] = ()) -> dict[str, Any]:
    return {
        "cypher": state.final_query,
        "columns": state.columns,
        "rows": state.rows,
        "answer": answer,
        "attempts": [attempt.as_dict() for attempt in state.attempts],
        "status": state.status.value,
        "confidence": state.confidence,
        "doubts": list(doubts),
    }


def _short(column: str) -> str:
    return column.rpartition(".")[2]


def _text(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    if isinstance(value, list):
        return ", ".join(_text(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{key} {_text(item)}" for key, item in value.items())
    return str(value)
