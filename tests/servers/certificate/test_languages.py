"""The letter service's own words: each language has them all, and every message that the code names is said in each."""

from __future__ import annotations

import ast
import inspect
import re
import string
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from servers.certificate import answers, lookups
from servers.certificate.issuing import finishing, issuing
from servers.certificate.languages import LANGUAGES, OfficeWords, words
from servers.certificate.letters import amounts, dates, fields, fitting, kinds, lettertype
from servers.certificate.messages import WrongValue
from servers.certificate.office import SAMPLE, OfficeError, load

TELLING = (amounts, answers, dates, fields, finishing, fitting, issuing, kinds, lettertype, lookups)
"""Where messages are named by their keys."""
KEYED = {"Message": "", "WrongValue": "", "say": "", "IssueError": "issue_", "_refused": "", "_written": ""}


def keys(module: ModuleType) -> Iterator[str]:
    """Every key of a message that the module names; `status_*` where its end is known at run time."""
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        called = ast.unparse(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Call) and called in KEYED:
            key = node.args[-1 if called in ("_refused", "_written") else 0]
            parts = key.values if isinstance(key, ast.JoinedStr) else [key]
            yield KEYED[called] + "".join(part.value if isinstance(part, ast.Constant) else "*" for part in parts)


NAMED = sorted({key for module in TELLING for key in keys(module) if key != "*"})


def test_the_messages_are_found() -> None:
    assert len(NAMED) > 30 and {"sixteen_digits", "issue_voided", "not_registered", "status_*"} <= set(NAMED)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_message_is_said_in_each_language_and_no_other_is_kept(language: str) -> None:
    assert sorted({re.sub("^status_.*", "status_*", key) for key in words(language).messages}) == NAMED


def test_what_is_wrong_of_a_value_is_said_in_the_offices_language() -> None:
    with pytest.raises(WrongValue, match=r"^harus 16 angka, yang ditulis 15 angka\.$") as caught:
        kinds.read_nik("317506450890000")
    assert caught.value.message.in_words(words("en")) == "it must be 16 digits, 15 were written."
    with pytest.raises(WrongValue) as caught:
        dates.read_date("kemarin")
    assert caught.value.message.in_words(words("en")).isascii()


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_fills_the_same_places(language: str) -> None:
    def places(of: OfficeWords) -> dict[str, set[str | None]]:
        texts = {name: text for name, text in of.model_dump().items() if isinstance(text, str)}
        texts |= of.verification | of.messages
        return {name: {part[1] for part in string.Formatter().parse(text)} - {None} for name, text in texts.items()}

    assert places(words(language)) == places(words("id"))
    assert len(words(language).months) == 12
    for table in ("tools", "titles", "hints"):
        assert getattr(words(language), table).keys() == getattr(words("id"), table).keys()


def test_an_office_of_an_unknown_language_is_refused(tmp_path: Path) -> None:
    (tmp_path / "office.toml").write_text('language = "xx"\n' + SAMPLE.read_text(encoding="utf-8"))
    with pytest.raises(OfficeError, match="'xx' is none of en, id"):
        load(tmp_path / "office.toml")
