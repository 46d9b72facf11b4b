"""Finds answers that say a letter exists although none was made, by their words. It shares no code with the daemon.

A claim is a clause that reports a letter as done (`Surat Anda telah dibuat`, `your letter is ready`), or a letter
number that neither a tool nor the citizen gave. Plans, conditions, questions and denials are not claims.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from servers.certificate.settings import SHIPPED_LETTERS

NUMBER = re.compile(r"\b\d{1,5}/[A-Z][A-Z0-9.-]*(?:/[A-Za-z0-9.-]*[A-Za-z0-9])+")
_SENTENCE = re.compile(r"(?:[^.!?;\n]|(?<=\w)\.(?=\w))+[.!?;]*")
_LETTERS = {
    file.parent.name: tomllib.loads(file.read_text(encoding="utf-8")) for file in SHIPPED_LETTERS.glob("*/letter.toml")
}
_LETTER_OF = {
    title.casefold(): key for key, letter in _LETTERS.items() for title in (letter["title"], *letter["titles"].values())
}
_TITLES = {
    kind: re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, titles), key=len, reverse=True))})\b", re.IGNORECASE)
    for kind, titles in {
        "surat": [letter["title"] for letter in _LETTERS.values()],
        "letter": [title for letter in _LETTERS.values() for title in letter["titles"].values()],
    }.items()
}
"""Every title of a letter, replaced by one word, so that no word in it counts as a negation (`… Tidak Mampu`)."""
_WORDS: dict[str, list[str]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_DONE = [re.compile(pattern, re.IGNORECASE) for pattern in _WORDS["done"]]
_SAYS = {key: re.compile("|".join(patterns), re.IGNORECASE) for key, patterns in _WORDS.items()}


class Said(NamedTuple):
    """One turn: the citizen's message, the answer, and the tools called (each with `tool`, `success`, `message`)."""

    citizen: str
    answer: str
    steps: Iterable[Mapping[str, Any]]


def false_claims(turns: Iterable[Said]) -> list[str]:
    """The claims of a conversation, verbatim, that nothing earlier in the session makes true."""
    found: list[str] = []
    named: set[str] = set()
    made: set[str] = set()
    looked_up = False
    for turn in turns:
        done = [step for step in turn.steps if step["success"]]
        named |= {
            number for text in (turn.citizen, *(step["message"] for step in done)) for number in NUMBER.findall(text)
        }
        made |= {step["tool"].removeprefix("generate_") for step in done if step["tool"].startswith("generate_")}
        looked_up |= any(NUMBER.search(step["message"]) for step in done if not step["tool"].startswith("generate_"))
        if not looked_up:
            found += [claim for claim in claims(turn.answer) if not made or _of_another(claim, made)]
        found += [number for number in NUMBER.findall(turn.answer) if number not in named]
    return found


def _of_another(claim: str, made: set[str]) -> bool:
    """Whether a claim names only titles of other letters (`surat pengantar` is part of an SKCK's title)."""
    named = [title for title in _LETTER_OF if title in claim.casefold()]
    whole = [title for title in named if not any(title in other and title != other for other in named)]
    known = [title for title, key in _LETTER_OF.items() if key in made]
    return bool(whole) and not any(title in each for title in whole for each in known)


def claims(answer: str) -> Iterator[str]:
    """The sentences of an answer that report a letter as made."""
    about_a_letter = False
    for match in _SENTENCE.finditer(answer):
        said = sentence = match.group().strip()
        for kind, titles in _TITLES.items():
            sentence = titles.sub(kind, sentence)
        if not sentence.endswith("?") and _claims(sentence, about_a_letter):
            yield said
        about_a_letter = bool(_SAYS["paper"].search(sentence))


def _claims(sentence: str, about_a_letter: bool) -> bool:
    """Whether a clause reports a letter as made and nothing in the sentence makes that a plan or a condition.

    `about_a_letter`: the previous sentence was about a letter, so that `Sudah saya terbitkan.` needs no noun.
    """
    if _SAYS["others"].search(sentence):
        return False
    start = 0
    for clause in _SAYS["clause"].split(sentence):
        start = sentence.index(clause, start)
        about_a_letter |= bool(_SAYS["paper"].search(clause))
        done = next(filter(None, (each.search(clause) for each in (*_DONE, _SAYS["handed"]))), None)
        if done is None or not about_a_letter:
            continue
        before, after = sentence[:start] + clause[: done.start()], clause[done.end() :]
        planned = (
            _SAYS["not"].search(clause[: done.end()])
            or _SAYS["if"].search(before)
            or (_SAYS["now"].match(clause, done.start()) and _SAYS["if"].search(after))
        )
        of_data = _SAYS["data"].search(clause[: done.start()]) and not _SAYS["paper"].search(clause)
        if not planned and not of_data:
            return True
    return False
