"""Builds one friendly question for the missing fields. It uses their labels and repeats what the citizen said."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentd.agent.approval import shown
from agentd.apps.letters.asking import asking
from agentd.apps.letters.evidence.fields.field import Field
from agentd.apps.letters.evidence.normalisers.digits import SIXTEEN
from agentd.errors import Language


def label(field: Field, language: Language) -> str:
    """The citizen's name for a field: its schema title or, in a language other than the office's, its usual name.

    The choices among which the citizen's words are ambiguous follow in brackets.
    """
    words = asking()[language]
    usual = words.fields.get(field.label or "") if field.person is None else None
    text = field.own_title(language) or usual or field.title.strip()
    *around, name = field.path.split(".")
    called = name.replace("_", " ")
    if text == called.title():  # the title that SDKs generate
        text = text.lower()
    if around and text in (called, usual) and not field.own_title(language):  # whose name it is, of an object's
        text = f"{re.sub(r'[^a-z]+', ' ', ' '.join(around).casefold()).strip()} {text}"
    head = text.split(" ", 1)[0]
    if len(head) > 1 and head[1:].islower():
        text = text[0].lower() + text[1:]
    if field.kind in SIXTEEN and not re.search(r"\d", text):
        text = f"{text} ({words.digits})"
    return f"{text} ({' / '.join(field.between)})" if field.between else text


def question(missing: Sequence[Field], language: Language) -> str:
    """The question for the missing fields (`Mohon sebutkan: NIK (16 digit) dan tanggal lahir.`), which also asks back
    what was said (`Apakah ini benar: judul: Dune? …`)."""
    words = asking()[language]
    if person := next((field.whose[1] for field in missing if field.whose[0]), ""):
        return words.theirs.format(person=person)
    labels = list(dict.fromkeys(label(field, language) for field in missing if not field.said))
    back = [field for field in missing if field.said]
    said = "; ".join(f"{label(field, language)}: {shown(field.value, language, field.kind)}" for field in back)
    joined = words.joined.format(first=", ".join(labels[:-1]), last=labels[-1]) if labels[1:] else "".join(labels)
    asked = (words.please.format(fields=joined) if labels else "", words.confirm.format(fields=said) if said else "")
    return " ".join(filter(None, asked))
