"""One sentence read into segments, left to right: each cue changes where we are. It knows nothing of what is proven."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice, takewhile

from agentd.agent.text import FILLERS
from agentd.apps.letters.evidence import persons
from agentd.apps.letters.evidence.choices import is_choice
from agentd.apps.letters.evidence.dates import month
from agentd.apps.letters.evidence.lexicon import SELF, Cue, Mark
from agentd.apps.letters.evidence.mood import question_from
from agentd.apps.letters.evidence.persons import CITIZEN, Speaking
from agentd.apps.letters.evidence.segments import ADDRESSES, HOMES, STREETS, Mood, Segment
from agentd.apps.letters.languages import phrases

_KEEPSSTREETS = ADDRESSES | {"nama_usaha", "jenis_usaha", "keperluan", "pekerjaan", "x:nama", "x:nomor", "x:tanggal"}
_COPULAS = phrases().copulas
_NEUTRAL = phrases().neutral
_SEPARATORS = frozenset({",", ";", "(", ")", "|", "⁂", "•", "\t"})
_BUSINESS = phrases().business
_IDENTITY = frozenset({"nik", "kk", "nama", "alamat", "alamat_domisili", "telepon", "rt", "rw", "rtrw"})
_OPENERS = phrases().openers
_JOINS = phrases().joins
_POINTING = phrases().pointing
_WRITTEN = phrases().written
_CARDS = frozenset({"ktp", "kk", "akta", "akte", "ijazah", "paspor"})
_LEADS = phrases().leads
_COURTESIES = phrases().courtesies
_BIRTH = frozenset({"lahir", "tempat_lahir", "tanggal_lahir"})
_DENIALS = phrases().denials
_INSTEAD = (["it"], ["its"])
"""What begins the right value after `the address is wrong:`."""
_STILL = phrases().still
"""What stands between `KTP saya` and the address that the card says."""
_POSSESSED_BY = phrases().possessed_by
_VERBS = phrases().verbs
_NOT_MINE = phrases().not_mine
_LIES = phrases().lies
_PARAGRAPH = phrases().paragraph


MOST = 64
"""Segments of one clause. In a longer one nothing counts as said: nobody speaks so, and each cue looks back at them."""
TAIL = 64
"""Words that a purpose runs on for."""


class SentenceReader:
    """One sentence, left to right. It holds where we are; `run` gives the segments. Its time grows as the length."""

    def __init__(
        self,
        words: Sequence[str],
        raws: Sequence[str],
        marks: Sequence[Mark],
        speaking: Speaking,
        number: int,
        clause: int,
        agent: bool,
        asks: bool,
        paragraph_open: bool,
    ) -> None:
        self.words, self.raws, self.marks = words, raws, {mark.start: mark for mark in marks}
        self.speaking, self.number, self.clause, self.agent = speaking, number, clause, agent
        self.paragraph_open = paragraph_open
        self.question = None if agent else question_from(words, marks, asks)
        self.open = paragraph_open
        self.denied = self.doubted = self.looked_up = False
        self.content_since_denial = False
        self.done: list[Segment] = []
        self.at = 0
        self.taken_back = False
        self.spoke_of_in = -1
        self.last_label: str | None = None
        self.spoken_clause = -1
        """The last clause in which more was said than courtesy."""
        self.first = {word: at for at, word in reversed(list(enumerate(words)))}
        """Where each word stands first."""
        self.current = self._new(speaking.pending, corrected=speaking.correcting)

    def _new(self, label: str | None, *, corrected: bool = False, form: bool = False) -> Segment:
        mood = Mood.OPEN if self.open or self.doubted or self.looked_up else Mood.DENIED if self.denied else Mood.SAID
        segment = Segment(label, self.speaking.person, mood, self.number, self.clause, corrected=corrected, form=form)
        segment.follows = self.last_label
        segment.at = self.at
        return segment

    def _close(self, label: str | None = None, *, corrected: bool = False, form: bool = False) -> None:
        if not self.current.empty or self.current.mood is Mood.TAKEN_BACK:
            self.done.append(self.current)
            if any(word not in FILLERS and word not in _OPENERS and word[0].isalnum() for word in self.current.words):
                self.spoken_clause = self.current.clause
        self.current = self._new(label, corrected=corrected, form=form)

    def run(self) -> list[Segment]:
        words = self.words
        at = 0
        while at < len(words):
            self.at = at
            if self.question is not None and at >= self.question and not self.open:
                self.open = True
                self._close(self.current.label)
            word = words[at]
            mark = self.marks.get(at)
            if mark is not None:
                at = self._cue(mark)
            elif word in _SEPARATORS and not (word == "," and (self._decimal(at) or self._year(at))):
                self._clause_ends(word)
                at += 1
            elif word in ("dan", "and", "serta") and self.denied:
                self.denied = self.doubted = False
                self._close(None)
                at += 1
            elif word in STREETS and self.current.label not in _KEEPSSTREETS and self._street(at):
                follows = self.current.follows
                known = follows if follows in ADDRESSES and self.current.label is None else None
                self._label(known or self._place_of(at))
                self.current.implied = known is None
                self._keep(at)
                at += 1
            else:
                self._keep(at)
                at += 1
        waits = self.current.label is not None and self.current.empty and self.current.form
        self.speaking.pending = self.current.label if waits and self.current.mood is Mood.SAID else None
        self.speaking.correcting = self.current.corrected and self.current.empty
        self._close()
        self._tails()
        self._void_endless_clauses()
        if words and words[-1] == ":" and not any(not segment.empty and segment.label for segment in self.done):
            self.speaking.section = self.speaking.person
        return self.done

    def _decimal(self, at: int) -> bool:
        return (
            self.raws[at] == ","
            and 0 < at < len(self.words) - 1
            and self.words[at - 1].isdecimal()
            and self.words[at + 1].isdecimal()
        )

    def _place_of(self, at: int) -> str:
        """`kantor saya di Jl. …` is the office's address, `rumah saya di Jl. …` the citizen's."""
        if self._on_the_card(at):
            return "alamat_ktp"
        before = [word for word in self.words[max(0, at - 5) : at] if word not in _LIES]
        if len(before) < 2 or not (before[-1] in SELF or before[-1] == "nya") or not before[-2].isalpha():
            return "alamat"
        if _BUSINESS.intersection(before):
            return "alamat_usaha"
        return "alamat" if before[-2] in HOMES or before[-2] in FILLERS else "x:alamat"

    def _on_the_card(self, at: int) -> bool:
        """`KTP saya masih Bekasi, Jl. Anggrek No. 2`: where the KTP says, not where anybody lives."""
        card = max((before for before in range(max(0, at - 8), at) if self.words[before] == "ktp"), default=at)
        between = range(card + 1, at)
        if len(between) > 6 or any(self.words[near].isdecimal() for near in between):
            return False
        return any(self.words[near] in _STILL or self.raws[near][0].isupper() for near in between)

    def _year(self, at: int) -> bool:
        """`January 5th, 1990`: the comma is inside a date."""
        following = self.words[at + 1] if at + 1 < len(self.words) else ""
        return len(following) == 4 and following.isdecimal() and any(map(month, self.words[max(0, at - 3) : at]))

    def _street(self, at: int) -> bool:
        return at + 1 < len(self.words) and self.words[at + 1] not in _SEPARATORS

    def _keep(self, at: int) -> None:
        self.current.words.append(self.words[at])
        self.current.raws.append(self.raws[at])
        if self.words[at][0].isalnum():
            self.content_since_denial = True

    def _clause_ends(self, word: str) -> None:
        if self.current.label is not None:
            self.last_label = self.current.label
        label = self.current.label if word == "(" else None
        self.denied = self.doubted = self.looked_up = self.taken_back = False
        corrected = self.current.corrected and self.current.empty
        unanswered = self.current.empty and not self.current.form and self.current.mood is Mood.SAID
        inherited = self.current.label if corrected or unanswered else None
        self._close(inherited or (label if label in ADDRESSES else None), corrected=corrected)
        self.clause += 1
        self.current.clause = self.clause
        if self.speaking.section is not None:
            self.speaking.person = self.current.person = self.speaking.section

    def _label(self, label: str | None, *, form: bool = False) -> None:
        if self.current.label is not None:
            self.last_label = self.current.label
        if self.denied and self.content_since_denial:
            self.denied = self.doubted = False
        corrected = self.current.corrected and self.current.empty
        if self.taken_back and label is not None:
            self._close(label)
            self.current.mood = Mood.TAKEN_BACK
            corrected, self.taken_back = True, False
        self._close(label, form=form, corrected=corrected)

    def _cue(self, mark: Mark) -> int:
        return _HANDLERS.get(mark.cue, SentenceReader._on_plain)(self, mark)

    def _on_plain(self, mark: Mark) -> int:
        for at in range(mark.start, mark.end):
            self._keep(at)
        return mark.end

    def _on_label(self, mark: Mark) -> int:
        words, label, at = self.words, mark.value, mark.end
        address = self.current.label if self.current.label in ADDRESSES else None
        if address is None and self.current.label is None and self.current.empty and self.current.follows in ADDRESSES:
            address = self.current.follows
        if label in ("rt", "rw", "rtrw"):
            if address is not None and not self._restated(at):
                if self.current.label is None:
                    self.current.label = address
                return self._on_plain(mark)
            if self.current.label not in ("rt", "rw", "rtrw") or self.current.mood is not Mood.SAID or self.denied:
                self._label(label)
            self._on_plain(mark)
            return self._owner(at, keep=True)
        if label == "x:nomor" and words[mark.start] == "kode" and address is not None:
            return self._on_plain(mark)
        if label == "x:nomor" and self.current.label == "keperluan" and not any(map(str.isdecimal, words[at : at + 3])):
            return self._on_plain(mark)
        if label == "keperluan" and address is None and self.current.label in ("keperluan", "nama_usaha"):
            return self._on_plain(mark)
        if label == "kk" and self.current.label == "pekerjaan":
            return self._on_plain(mark)
        stated = at < len(words) and (words[at] in SELF or words[at] in (":", "nya"))
        if label in ("pekerjaan", "jenis_usaha") and self.current.label == "keperluan" and not stated:
            return self._on_plain(mark)
        if label in ADDRESSES and self.current.label in ADDRESSES and self.current.empty and label == "alamat_domisili":
            label = self.current.label if self.current.label != "alamat" else label
        first = words[mark.start]
        if (
            label == "x:tanggal"
            and self.current.label in _BIRTH
            and set(words[mark.start : at]) <= {"pada", "tanggal", "per"}
        ):
            return self._on_plain(mark)
        if label == "alamat" and self.current.label == "nik" and _STILL.issuperset(self.current.words):
            label = "alamat_ktp"
        if first == "sebagai" and not self._before(mark.start, ("kerja", "bekerja")):
            return self._on_plain(mark)
        told = first in ("bernama", "called") or (at < len(words) and words[at] in ("nya", "-"))
        if label in ("nama", "alamat") and told:
            label = self._of_a_thing(label, mark.start)
        if self._disowned(mark):
            self._label(label.removeprefix("x:"))
            self.current.person, self.current.mood = CITIZEN, Mood.TAKEN_BACK
        self._label(label)
        if SELF.intersection(words[mark.start : mark.end]):
            self._speak_of(CITIZEN)
        before = words[mark.start - 1] if mark.start else ""
        if before == "'" or before == "s" or (before not in SELF and mark.start > 1 and words[mark.start - 2] == "my"):
            self._english_owner(mark)
        at = self._owner(at)
        if self.denied:
            self.content_since_denial = False
        return at

    def _of_a_thing(self, label: str, at: int) -> str:
        """`warung saya namanya …` names a business, `kucing saya namanya …` no applicant."""
        if self._before(at, _BUSINESS):
            return f"{label}_usaha"
        said = [word for word in self.current.words if word[0].isalnum() and word not in FILLERS and word != "warga"]
        thing = bool(said) and not is_choice(said) and self.current.label is None
        return f"x:{label}" if thing and self.speaking.person in (None, CITIZEN) else label

    def _before(self, at: int, words: Iterable[str]) -> bool:
        """Whether one of these words stands before a place in the sentence."""
        return any(self.first.get(word, at) < at for word in words)

    def _in_clause(self, back: int = 0) -> list[Segment]:
        """The closed segments of this clause, and of so many before it: the newest, a bounded number."""
        newest = islice(reversed(self.done), (back + 1) * MOST)
        return list(takewhile(lambda segment: segment.clause >= self.clause - back, newest))

    def _void_endless_clauses(self) -> None:
        counted = Counter(segment.clause for segment in self.done)
        for segment in self.done:
            if counted[segment.clause] >= MOST:
                segment.mood = Mood.OPEN

    def _disowned(self, mark: Mark) -> bool:
        """`itu NIK suami saya`, `itu alamat lama saya`: what was given before is not the citizen's."""
        if not mark.start or self.words[mark.start - 1] not in ("itu", "tadi"):
            return False
        last = min(mark.end + 5, len(self.words))
        end = next((at for at in range(mark.end, last) if self.words[at] in _SEPARATORS), last)
        rest = self.words[mark.end : end]
        others = [at for at in range(mark.end, end) if (cue := self.marks.get(at)) and cue.cue is Cue.RELATION]
        formerly = bool(_NOT_MINE.intersection([*self.words[mark.start : mark.end], *rest]))
        return len(rest) <= 4 and (bool(others) or formerly) and not any(word.isdecimal() for word in rest)

    def _restated(self, at: int) -> bool:
        """`RT saya`, `RT-nya`, `RT bukan`: a statement of its own, not the end of an address."""
        after = self.words[at : at + 2]
        return bool(after) and (
            after[0] in SELF or "nya" in after or "bukan" in after or "salah" in after or "ganti" in after
        )

    def _english_owner(self, mark: Mark) -> None:
        """`my company address`, `my mother's name`: what stands between `my` and the label owns it."""
        at = mark.start - 1
        while at >= 0 and self.words[at] in ("'", "s"):
            at -= 1
        owner = self.words[at] if at >= 0 else ""
        relation = self.marks.get(at)
        if relation is not None and relation.cue is Cue.RELATION:
            self._speak_of(relation.value)
        elif owner and owner not in _NEUTRAL and owner not in SELF and owner.isalpha() and at not in self.marks:
            self._speak_of(f"?{owner}")

    def _owner(self, at: int, *, keep: bool = False) -> int:
        """Read whose the label is, and skip what joins it to its value. Gives the token where the value starts."""
        words = self.words
        colon_ahead = ":" in words[at : at + 6] or "=" in words[at : at + 4]
        form = False
        owned = False
        if self.current.label == "status_perkawinan" and words[at : at + 2] in (["kawin", ":"], ["nikah", ":"]):
            at += 1
        while at < len(words):
            word = words[at]
            mark = self.marks.get(at)
            if mark is not None and mark.cue is Cue.SELF:
                if word == "i":
                    break
                self._speak_of(CITIZEN)
                self.current.own = owned = True
                if self.looked_up and not (self.open or self.doubted):
                    self.looked_up, self.current.mood = False, Mood.SAID
                at = mark.end
            elif (
                mark is not None
                and mark.cue is Cue.RELATION
                and not (owned and self.current.label == "nama")
                and persons.strong(mark, words, opens=True, form=form, agent=self.agent)
            ):
                at = persons.owner_end(mark, words)
                self._named(mark.value)
                if self.current.label == "keperluan" and at < len(words) and self.raws[at][0].isupper():
                    self.current.label = None
                if colon_ahead:
                    self.current.person = mark.value
                else:
                    self._speak_of(mark.value)
                owned = True
            elif word in ("anda", "kamu", "your", "you") and self.agent:
                owned = True
                at += 1
            elif word in (":", "="):
                form = self.current.form = True
                if not owned and self.spoke_of_in != self.clause:
                    self.current.person = self.speaking.section
                    self.speaking.person = self.speaking.section
                owned = True
                at += 1
            elif word in _COPULAS and (mark is None or mark.cue is Cue.QUESTION):
                at += 1
            elif mark is not None and mark.cue is Cue.PRONOUN and word == "nya":
                at = mark.end
            elif not owned and mark is None and self._owned_by_thing(at):
                self._speak_of(f"?{word}")
                at += 2
                owned = True
            elif word in _NEUTRAL and mark is None and not keep and self._neutral(at):
                at += 1
            else:
                break
        return at

    def _neutral(self, at: int) -> bool:
        return at + 1 < len(self.words) and (
            self.words[at + 1] in SELF
            or self.words[at + 1] in _COPULAS
            or self.words[at] in ("lengkap", "sekarang", "sesuai", "full")
        )

    def _owned_by_thing(self, at: int) -> bool:
        """`nama kucing saya Budi`: a small noun, then `saya`, then a value."""
        word, raws = self.words[at], self.raws
        if not word.isalpha() or not raws[at][0].islower() or word in _NEUTRAL or at + 1 >= len(self.words):
            return False
        if self.words[at + 1] not in SELF:
            return False
        rest = at + 2
        return (
            rest >= len(self.words)
            or self.words[rest] in _COPULAS
            or raws[rest][0].isupper()
            or raws[rest][0].isdecimal()
        )

    def _speak_of(self, person: str | None) -> None:
        self.spoke_of_in = self.clause if person not in (None, CITIZEN) else -1
        self.speaking.person = person
        self.current.person = person

    def _on_relation(self, mark: Mark) -> int:
        opens = self.current.empty
        named = self.current.label == "nama" and opens and (self.current.own or self.current.form)
        if named and not persons.possessed(mark, self.words):
            return self._on_plain(mark)
        before = self.words[max(0, mark.start - 2) : mark.start]
        if not opens and ((before[-1:] and before[-1] in _POSSESSED_BY) or before == ["is", "my"]):
            self._speak_of(mark.value)
            end = persons.owner_end(mark, self.words)
            alone = (
                mark.start < 2 or self.words[mark.start - 2] in _SEPARATORS or self.words[mark.start - 2].isdecimal()
            )
            whole = before[-1:] == ["itu"] and alone and end == len(self.words)
            for segment in self.done if whole else self._in_clause():
                if segment.clause == self.clause or not segment.own:
                    segment.person = mark.value
            return end
        if self.current.label in ("pekerjaan", "jenis_usaha", "nama_usaha") and not opens:
            return self._on_plain(mark)
        if not persons.strong(mark, self.words, opens=opens, form=self.current.form, agent=self.agent):
            return self._on_plain(mark)
        label = self.current.label if opens and self.current.label != "keperluan" else None
        self._close(label)
        self._speak_of(mark.value)
        self._named(mark.value)
        return persons.owner_end(mark, self.words)

    def _named(self, person: str) -> None:
        if not self.open and not self.denied:
            self.speaking.people.add(person)

    def _on_self(self, mark: Mark) -> int:
        first = mark.start == 0 or self.words[mark.start - 1] in _SEPARATORS
        after = self.words[mark.end] if mark.end < len(self.words) else ""
        if self.words[mark.start] == "i" and after not in _VERBS:
            return self._on_plain(mark)
        if self.words[mark.start] == "my" and self.marks.get(mark.end, mark).cue is Cue.RELATION:
            return mark.end
        joined = mark.start > 0 and self.words[mark.start - 1] in _JOINS
        if self.speaking.person not in (None, CITIZEN) and not (first or joined):
            return mark.end
        if self.current.empty or not self._trailing(mark):
            if not self.current.empty:
                self._close(None)
            self._speak_of(CITIZEN)
            opening = first or self._only_greeted()
            if not opening and not joined and self.current.label is None:
                self._possessed(mark.start - 1)
            self.current.intro = self.current.label is None and opening and after not in ("m",)
            self.current.intro = self.current.intro or (self.current.label is None and after == "m")
            self.current.own = True
        return mark.end

    def _possessed(self, at: int) -> None:
        """`bayi saya laki-laki`: a thing that is the citizen's is not the citizen."""
        noun = self.words[at]
        if not noun.isalpha() or noun in FILLERS or noun in _OPENERS or noun in _LEADS:
            return
        self.current.person = f"?{noun}"
        before = self.done[-1] if self.done else None
        if before is not None and before.label is None and before.words[-1:] == [noun] and len(before.words) <= 2:
            before.person = f"?{noun}"

    def _only_greeted(self) -> bool:
        """Nothing but courtesy stands before `saya` in this clause."""
        return self.spoken_clause != self.clause

    def _trailing(self, mark: Mark) -> bool:
        """`Jl. Melati rumah saya`: nothing follows that could be about the citizen anew."""
        return mark.end >= len(self.words) or self.words[mark.end] in _SEPARATORS

    def _on_pronoun(self, mark: Mark) -> int:
        if self.words[mark.start] == "nya":
            return mark.end
        if self.speaking.person == CITIZEN or self.speaking.person is None:
            self._close(self.current.label if self.current.empty else None)
            self._speak_of("?dia")
        return mark.end

    def _on_beside(self, mark: Mark) -> int:
        relation = self.marks.get(mark.end)
        if relation is None or relation.cue is not Cue.RELATION:
            if self.words[mark.start] == "tinggal":
                self._label("alamat_domisili")
                return mark.end
            return self._on_plain(mark)
        if self.words[mark.start] == "tinggal":
            self._label("alamat_domisili")
        at = persons.owner_end(relation, self.words)
        if (
            at < len(self.words)
            and self.raws[at][0].isupper()
            and self.words[at] not in STREETS
            and at not in self.marks
        ):
            self._close(None)
            self._speak_of(relation.value)
        return at

    def _on_negation(self, mark: Mark) -> int:
        following = self.marks.get(mark.end)
        if following is not None and following.cue is Cue.LABEL and not self.current.empty:
            for segment in (*self._in_clause(), self.current):
                segment.mood = Mood.DENIED
        self._close(self.current.label, corrected=self.current.corrected and self.current.empty)
        self.denied, self.content_since_denial = True, False
        self.current.mood = Mood.OPEN if self.open else Mood.DENIED
        return mark.end

    def _on_elsewhen(self, mark: Mark) -> int:
        """`tahun lalu`, `next year`: of all that its clause says, before it and after it."""
        for segment in (*self._in_clause(), self.current):
            if segment.mood is Mood.SAID:
                segment.mood = Mood.DENIED
        return self._on_negation(mark)

    def _on_unsure(self, mark: Mark) -> int:
        self.current.mood = Mood.OPEN
        for segment in self._in_clause():
            segment.mood = Mood.OPEN
        self._close(self.current.label)
        self.denied = self.doubted = True
        self.content_since_denial = False
        self.current.mood = Mood.OPEN
        return mark.end

    def _on_turn(self, mark: Mark) -> int:
        was_denied = self.denied
        label = self.current.label
        if not was_denied and self.current.empty and label is None and self._just_denied():
            was_denied, label = True, self.done[-1].label
        self.denied = self.doubted
        self._close(label if was_denied or self.current.empty else None, corrected=was_denied)
        return mark.end

    def _just_denied(self) -> bool:
        """`keperluannya bukan melamar kerja, tapi …`: the clause before the comma ended on a denial."""
        return bool(self.done) and self.done[-1].mood is Mood.DENIED and self.done[-1].clause + 1 == self.clause

    def _on_correction(self, mark: Mark) -> int:
        label = self.current.label or (self.current.follows if self.current.empty else None)
        if label in (None, "x:tanggal") and self.done and self.done[-1].sentence == self.number:
            label = self.done[-1].label
        self.denied = self.doubted = False
        self._close(label, corrected=True)
        self.current.restated = self.words[mark.start] not in _COURTESIES
        return mark.end

    def _on_wrong(self, mark: Mark) -> int:
        words = [word for word in self.current.words if word[0].isalnum()]
        after = self.words[mark.end] if mark.end < len(self.words) else ","
        if not words and self.words[mark.start] in _DENIALS and after not in _SEPARATORS:
            return self._on_negation(mark)
        if self.words[mark.end : mark.end + 1] == [":"] and self.words[mark.end + 1 : mark.end + 2] not in _INSTEAD:
            self.denied, self.content_since_denial = True, False
            self._close(self.current.label)
            return mark.end + 1
        if self.current.label is not None and all(word in _POINTING or word == self.current.label for word in words):
            self.current.words, self.current.mood = [], Mood.TAKEN_BACK
        elif words:
            self.current.mood = Mood.DENIED
        self.taken_back = not words and self.current.label is None
        return self._on_correction(mark)

    def _on_example(self, mark: Mark) -> int:
        first = self.words[mark.start]
        if first in _WRITTEN and not _CARDS.isdisjoint(self.first):
            return mark.end
        self.open = True
        if self.words[mark.start] in _PARAGRAPH:
            self.paragraph_open = True
            aside = mark.start > 0 and self.words[mark.start - 1] == "("
            for segment in self._in_clause(back=1 if aside else 0):
                if segment.clause != self.clause or segment.label is None:
                    segment.mood = Mood.OPEN
            if not self.current.empty:
                self.current.mood = Mood.OPEN
        self._close(self.current.label)
        return mark.end

    def _on_lookup(self, mark: Mark) -> int:
        self.looked_up = True
        self._close(None)
        return mark.end

    def _tails(self) -> None:
        """Give each segment the rest of its clause: a purpose runs on across words that are labels elsewhere."""
        end, after = len(self.words), None
        for segment in reversed(self.done):
            if after is not None and (
                after.clause != segment.clause or after.mood is not segment.mood or after.label in _IDENTITY
            ):
                end = after.at
            segment.tail = self.words[segment.at : min(end, segment.at + TAIL)]
            after = segment


_HANDLERS = {
    Cue.LABEL: SentenceReader._on_label,
    Cue.RELATION: SentenceReader._on_relation,
    Cue.SELF: SentenceReader._on_self,
    Cue.PRONOUN: SentenceReader._on_pronoun,
    Cue.BESIDE: SentenceReader._on_beside,
    Cue.NEGATION: SentenceReader._on_negation,
    Cue.ELSEWHEN: SentenceReader._on_elsewhen,
    Cue.UNSURE: SentenceReader._on_unsure,
    Cue.TURN: SentenceReader._on_turn,
    Cue.CORRECTION: SentenceReader._on_correction,
    Cue.WRONG: SentenceReader._on_wrong,
    Cue.EXAMPLE: SentenceReader._on_example,
    Cue.LOOKUP: SentenceReader._on_lookup,
}
