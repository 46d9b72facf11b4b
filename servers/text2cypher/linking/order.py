"""What the word order of a question tells: the label asked for, what each row is, and introductory remarks.

Uses words only; links nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from servers.text2cypher.graph.schema import GraphSchema
from servers.text2cypher.linking.asks import Wording
from servers.text2cypher.linking.filters import Span
from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.values import Mention

_LEAD = re.compile(r"[^,.:;?!]+[,.:;]\s+(?=\w)")
_BEHIND = re.compile(r"(?<=\?)\s+[^?]+$")


def focus(wording: Wording, masked: str, labels: Sequence[Span]) -> str | None:
    """The label that the wording puts first: `topik apa saja`, `sebutkan topik …`, `berapa jumlah topik`.

    A label with a bounded count doesn't qualify: `mata kuliah yang topiknya lebih dari 4 apa saja` asks for no topics.
    """
    # a masked value is one word: with ¤ as separator a long one could be split in too many ways
    which = wording.compiled(r"(?!\W+‹such_after›\b)(?:[^\w¤,]+[\w¤]+){0,3}?[^\w¤,]+‹which_after›\b")
    bounded = wording.compiled(r"‹label›\w*\s+(?:‹exceeds›|[<>])")
    labels = [held for held in labels if not bounded.match(masked, held[0])]
    for _, end, name in labels:
        if which.match(masked, end):
            return name
    opens = wording.compiled(r"‹opens›(?:\W+\w+){0,3}\W*$")
    return next((name for start, _, name in labels if opens.search(masked[:start])), None)


def each(wording: Wording, masked: str, words: Sequence[Span]) -> str | None:
    """The name directly after `setiap`, `tiap` or `per`, else the one before `masing-masing`.

    A word with a clitic belongs to the word before it: `Mata kuliah masing-masing topiknya`.
    """
    of_each = wording.compiled(r"\b‹each›\s+$")
    after = wording.compiled(r"(?:\W+\w+){0,2}?\W+‹each_after›\b")
    before = [(start, end, name) for start, end, name in sorted(words) if of_each.search(masked[:start])]
    plain = [name for start, end, name in before if not masked[start:end].lower().endswith(languages().clitics)]
    behind = [name for _, end, name in sorted(words) if after.match(masked, end)]
    return next(iter([*plain, *behind, *(name for _, _, name in before)]), None)


def ends_of_loops(kinds: Sequence[Span], schema: GraphSchema) -> list[Span]:
    """The label of a self-relationship at the position of the relationship's word: `every prerequisite`."""
    ends = [(start, end, pair) for start, end, kind in kinds for pair in schema.ends(kind)]
    return [(start, end, one) for start, end, (one, other) in ends if one == other]


def is_said_once(masked: str, one: Span, other: Span) -> bool:
    """True for `prerequisites that must be taken` (one relationship), not for `prerequisites of prerequisites`."""
    (start, end, kind), (then, last, same) = one, other
    between = masked[end:then].lower()
    spared = languages().function.issuperset(re.findall(r"[^\W_]+", between)) and "¤" not in between
    return kind == same and spared and masked[start:end].lower() != masked[then:last].lower()


def without_asides(
    wording: Wording, question: str, masked: str, mentions: Sequence[Mention], known: Collection[str]
) -> str:
    """The question without the asker's remarks about themselves: of those before it only the values are kept, with a
    `known` word before; those after it are dropped if they have no word of the graph.

    `I'm taking Algebra next term, which courses does it need? I have to plan.` With a number or a negated value there
    may be a condition, and everything stays.
    """
    asks, of_asker = (wording.compiled(rf"\b‹{name}›\b") for name in ("asks_something", "of_asker"))

    def is_aside(text: str) -> bool:
        return not (asks.search(text) or re.search(r"\d", text)) and bool(of_asker.search(text))

    behind, names = _BEHIND.search(masked), wording.compiled("¤|‹label›|‹property›|‹relation›")
    if behind and not names.search(behind[0]) and is_aside(behind[0]):
        question, masked = question[: behind.start()], masked[: behind.start()]
    start = 0
    while (lead := _LEAD.match(masked, start)) and is_aside(lead[0]):
        start = lead.end()
    rest, kept = question[start:], []
    for held in mentions:
        if held.end <= start and held.value.lower() not in rest.lower():
            if wording.compiled("‹not›").search(masked[:start]):  # `Saya tidak mau yang wajib, …`
                return question
            before = [word for word in question[: held.start].split()[-1:] if word.lower() in known]
            kept.append(" ".join([*before, question[held.start : held.end]]))
    return ", ".join([*kept, rest])
