"""Who is spoken of: the citizen, or somebody else by relation. It follows one conversation's words, not its values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from agentd.apps.letters.evidence.lexicon import SALUTATIONS, SELF, Cue, Mark
from agentd.apps.letters.languages import phrases

CITIZEN = "saya"
_POSSESSIVE = SELF | phrases().possessives
_ACTS = phrases().acts
_LETTERS = phrases().letters
KIN = phrases().kin
_FOR = phrases().for_whom


@dataclass(slots=True)
class Speaking:
    """Of whom the words are at this point: None is nobody in particular, and so the person the letter is for."""

    person: str | None = None
    section: str | None = None
    """The person of a headed block (`Data istri saya:`)."""
    pending: str | None = None
    """A label that the last line left open (`NIK saya:`)."""
    correcting: bool = False
    """The last sentence ended on the announcement of another value (`Eh salah.`)."""
    people: set[str] = field(default_factory=set)
    """Everybody named so far, by relation."""


def strong(mark: Mark, words: Sequence[str], *, opens: bool, form: bool, agent: bool) -> bool:
    """Whether a relation word names a person here, rather than addressing the office or standing inside a value.

    `opens`: nothing has been said yet since the last label or the start of the clause; `form`: after a colon.
    """
    after = words[mark.end] if mark.end < len(words) else ""
    dashed = after == "-" and mark.end + 1 < len(words) and words[mark.end + 1] == "nya"
    before = words[mark.start - 1] if mark.start else ""
    if after in _POSSESSIVE or dashed or before in ("my", "your", "calon") or mark.value in ("mertua", "orang tua"):
        return mark.value != "kepala keluarga" or opens
    word = words[mark.start]
    if mark.value == "kepala keluarga":
        return opens and before not in SELF
    titled = words[max(0, mark.start - 2) : mark.start] == ["atas", "nama"]
    if titled and word in SALUTATIONS:
        return False
    if word in SALUTATIONS or " ".join(words[mark.start : mark.end]) in SALUTATIONS:
        return opens and not form and not agent and before not in ("", ",", "\n") and before not in SELF
    return opens or before in ("a", "dari", "dr", "seorang", "sang", "si", "the")


def names_a_letter(words: Sequence[str]) -> bool:
    """Whether a phrase only says which letter is wanted (`surat keterangan tidak mampu`), not for whom or what."""
    return bool(_LETTERS.intersection(words)) and not _FOR.intersection(words)


def possessed(mark: Mark, words: Sequence[str]) -> bool:
    """Whether a relation is somebody's (`anak saya`), and so no part of a name (`Anak Agung`)."""
    return mark.end < len(words) and words[mark.end] in _POSSESSIVE


def owner_end(mark: Mark, words: Sequence[str]) -> int:
    """The token after a relation and what belongs to it: `ibu kandung saya`, `istri-nya`, `mother's`."""
    at = mark.end
    while at < len(words) and (words[at] in _POSSESSIVE or words[at] in ("'", "s", "-", "dekat", "saya")):
        at += 1
    return at


def subject(marks: Sequence[Mark], words: Sequence[str]) -> str | None:
    """For whom a sentence asks a letter (`surat domisili untuk ibu saya` → ibu), None when it doesn't say.

    Relatives may ask for one another; who asks for a neighbour, a friend or an employer gives no evidence of them.
    """
    if "atas nama saya" in " ".join(words):
        return CITIZEN
    if not _LETTERS.intersection(words):
        return None
    for mark in marks:
        if mark.cue is not Cue.RELATION or mark.start == 0 or words[mark.start - 1] not in _FOR | {"my"}:
            continue
        if words[mark.start - 1] == "nama" and words[mark.start - 2 : mark.start - 1] != ["atas"]:
            continue
        if words[mark.start - 1] == "my" and (mark.start < 2 or words[mark.start - 2] not in _FOR):
            continue
        end = owner_end(mark, words)
        if end > mark.end or words[mark.start - 1] == "my":
            asked = mark.value in KIN and not (end < len(words) and words[end] in _ACTS)
            return mark.value if asked else None
    return None
