"""What the name of a field changes in a sentence: which field follows, and whose it is. It knows no moods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentd.agent.text import FILLERS
from agentd.apps.letters.evidence import persons
from agentd.apps.letters.evidence.choices import is_choice
from agentd.apps.letters.evidence.lexicon import SELF, Cue, Mark
from agentd.apps.letters.evidence.persons import CITIZEN
from agentd.apps.letters.evidence.segments import ADDRESSES, BIRTH, NEIGHBOURHOOD, SEPARATORS
from agentd.apps.letters.languages import phrases

if TYPE_CHECKING:
    from agentd.apps.letters.evidence.clauses import SentenceReader

_COPULAS = phrases().copulas
_NEUTRAL = phrases().neutral
_BUSINESS = phrases().business
_DAYS = frozenset({"pada", "tanggal", "per"})
_STILL = phrases().still
"""What stands between `KTP saya` and the address that the card says."""
_NOT_MINE = phrases().not_mine


def on_label(reader: SentenceReader, mark: Mark) -> int:
    words, label = reader.words, mark.value
    if _part_of_a_value(reader, mark):
        return reader.plain(mark)
    if label in NEIGHBOURHOOD:
        return _on_neighbourhood(reader, mark)
    if label in ADDRESSES and reader.current.words in (["rt"], ["rw"]):
        return mark.end  # `RT tempat usaha: 5`
    if label == "alamat" and reader.current.label == "nik" and _STILL.issuperset(reader.current.words):
        label = "alamat_ktp"
    introduced = words[mark.start] in ("bernama", "called") or words[mark.end : mark.end + 1] in (["nya"], ["-"])
    if label in ("nama", "alamat") and introduced:
        label = _of_a_thing(reader, label, mark.start)
    reader.close(label)
    if SELF.intersection(words[mark.start : mark.end]):
        reader.speak_of(CITIZEN)
    before = words[mark.start - 1] if mark.start else ""
    if before == "'" or before == "s" or (before not in SELF and mark.start > 1 and words[mark.start - 2] == "my"):
        _english_owner(reader, mark)
    return _owner(reader, mark.end)


def _part_of_a_value(reader: SentenceReader, mark: Mark) -> bool:
    """Whether the name of a field stands inside what is said of another."""
    words, label, said = reader.words, mark.value, reader.current.label
    if label == "x:nomor" and said == "keperluan":
        return not any(map(str.isdecimal, words[mark.end : mark.end + 3]))
    birthday = label == "x:tanggal" and said in BIRTH and _DAYS.issuperset(words[mark.start : mark.end])
    return birthday or (said is not None and _ends_as_a_name(reader, mark))


def _on_neighbourhood(reader: SentenceReader, mark: Mark) -> int:
    """RT or RW: part of the address that stands before it, or a field of its own."""
    current = reader.current
    before = current.follows if current.label is None and current.empty else current.label
    if before in ADDRESSES:
        current.label = current.label or before
        return reader.plain(mark)
    if current.label not in NEIGHBOURHOOD or not reader.says(mark.start):
        reader.close(mark.value)
    reader.plain(mark)
    return _owner(reader, mark.end)


def _ends_as_a_name(reader: SentenceReader, mark: Mark) -> bool:
    """`Nama usaha saya Alamat`: written as a name, and nothing follows that it could be the label of."""
    last = mark.end == len(reader.words) or reader.words[mark.end] in SEPARATORS
    return last and mark.start > 0 and reader.raws[mark.start].istitle()


def _of_a_thing(reader: SentenceReader, label: str, at: int) -> str:
    """`warung saya namanya …` names a business, `kucing saya namanya …` no applicant."""
    if _BUSINESS.intersection(reader.words[:at]):
        return f"{label}_usaha"
    said = [word for word in reader.current.words if word[0].isalnum() and word not in FILLERS]
    thing = bool(said) and not is_choice(said)
    return f"x:{label}" if thing and reader.speaking.person in (None, CITIZEN) else label


def _english_owner(reader: SentenceReader, mark: Mark) -> None:
    """`my company address`, `my mother's name`: what stands between `my` and the label owns it."""
    at = mark.start - 1
    while at >= 0 and reader.words[at] in ("'", "s"):
        at -= 1
    owner = reader.words[at] if at >= 0 else ""
    relation = reader.marks.get(at)
    if relation is not None and relation.cue is Cue.RELATION:
        reader.speak_of(relation.value)
    elif owner and owner not in _NEUTRAL and owner not in SELF and owner.isalpha() and at not in reader.marks:
        reader.speak_of(f"?{owner}")


def _owner(reader: SentenceReader, at: int) -> int:
    """Read whose the label is, and skip what joins it to its value. Gives the token where the value starts."""
    words = reader.words
    form = False
    owned = False
    while at < len(words):
        word = words[at]
        mark = reader.marks.get(at)
        if mark is not None and mark.cue is Cue.SELF:
            if word == "i":
                break
            reader.speak_of(CITIZEN)
            reader.current.own = owned = True
            at = mark.end
        elif (
            mark is not None
            and mark.cue is Cue.RELATION
            and not (owned and reader.current.label == "nama")
            and persons.strong(mark, words, opens=True, form=form)
        ):
            at = persons.owner_end(mark, words)
            reader.name_person(mark.value)
            if reader.current.label == "keperluan" and at < len(words) and reader.raws[at][0].isupper():
                reader.current.label = None
            reader.speak_of(mark.value)
            owned = True
        elif word in (":", "="):
            form = reader.current.form = True
            if not owned and reader.spoke_of_in != reader.clause:
                reader.current.person = reader.speaking.section
                reader.speaking.person = reader.speaking.section
            owned = True
            at += 1
        elif word in _COPULAS and (mark is None or mark.cue is Cue.QUESTION):
            at += 1
        else:
            break
    return at
