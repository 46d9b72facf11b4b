"""What is said of RT and RW, and of which address they are."""

from __future__ import annotations

from collections.abc import Iterator

from agentd.apps.letters.evidence import neighbourhood
from agentd.apps.letters.evidence.case import Case, values
from agentd.apps.letters.evidence.conversation import Statement
from agentd.apps.letters.evidence.fields import Field
from agentd.apps.letters.evidence.segments import ADDRESSES
from agentd.apps.letters.evidence.settling import Claim


def rt_or_rw(field: Field, case: Case) -> Iterator[Claim]:
    """A neighbourhood number, in an address or by itself; that of the KTP's or a business address is another."""
    wanted = neighbourhood.value(str(field.value))
    place = next((label for label in ("ktp", "usaha") if label in f"{field.path} {field.title}".casefold()), None)
    for statement in case.of(field.person):
        segment = statement.segment
        yield from values(
            statement,
            _neighbourhood(statement, field.kind, place, case),
            wanted,
            labelled=segment.label in ("rt", "rw", "rtrw"),
        )


def _neighbourhood(statement: Statement, kind: str, place: str | None, case: Case) -> list[int | None]:
    segment = statement.segment
    label = segment.label or (segment.follows if segment.corrected else None)
    address_of = label if label in ADDRESSES else segment.follows if segment.follows in ADDRESSES else None
    if place is not None:
        if address_of not in (None, f"alamat_{place}"):
            return []
    elif address_of in ("alamat_usaha", "x:alamat") or (
        address_of == "alamat_ktp" and "alamat_domisili" in case.labels
    ):
        return []
    named = "rt" in segment.words or "rw" in segment.words
    if named and (label in ADDRESSES or label in ("rt", "rw", "rtrw") or label is None):
        said = segment.address
        value = said.rt if kind == "rt" else said.rw
        if value is not None:
            return [value]
    if statement.answers in ("rt", "rw"):
        return list(neighbourhood.leading(segment.words)) if statement.answers == kind else []
    if label in (kind, "rtrw") and not {"rt", "rw"} & set(segment.words):
        found = neighbourhood.leading(segment.words)
        return _pick(found, kind, both=label == "rtrw")
    if (
        label is None
        and statement.asked & {"rt", "rw", "rtrw"}
        and "rt" not in segment.words
        and "rw" not in segment.words
    ):
        found = neighbourhood.leading(segment.words)
        both = "rtrw" in statement.asked or {"rt", "rw"} <= statement.asked
        return _pick(found, kind, both=both) if both or kind in statement.asked else []
    return []


def _pick(found: list[int], kind: str, *, both: bool) -> list[int | None]:
    if both:
        return [found[0 if kind == "rt" else 1]] if len(found) == 2 else []
    return [found[0]] if len(found) == 1 else list(found)
