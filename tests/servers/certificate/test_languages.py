"""The letter service's own words: each language has them all, and what is said of a wrong value is said in each."""

from __future__ import annotations

import ast
import inspect
import string
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from servers.certificate import amounts, answers, fields, fitting, issuing, kinds, lookups
from servers.certificate.languages import LANGUAGES, OfficeWords, words
from servers.certificate.office import SAMPLE, OfficeError, load

TELLING = (amounts, answers, fields, fitting, issuing, kinds, lookups)
"""Where sentences for citizens are written."""
RAISED = ("ValueError", "IssueError")


def sentences(module: ModuleType) -> Iterator[str]:
    """Every sentence that the module raises, yields or keeps for a citizen; `{}` where a value stands in it."""
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        held: list[ast.expr] = []
        raised = node.exc if isinstance(node, ast.Raise) else None
        if isinstance(raised, ast.Call) and getattr(raised.func, "id", "") in RAISED:
            held = raised.args[-1:]
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "_refused":
            held = node.args[-1:]
        elif isinstance(node, ast.Yield) and isinstance(node.value, ast.Tuple):
            held = node.value.elts[-1:]
        elif isinstance(node, ast.Assign) and "said" in ast.unparse(node.targets[0]):
            held = node.value.elts[-1:] if isinstance(node.value, ast.Tuple) else []
        yield from (text for expression in held if (text := template(expression)))


def template(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return ""


FOR_DEVELOPERS = ("choices = ", "kind = ", "two choices ")
"""How sentences begin that the author of a letter's folder reads."""
ALL = sorted({text for module in TELLING for text in sentences(module) if not text.startswith(FOR_DEVELOPERS)})


def test_the_sentences_are_found() -> None:
    assert len(ALL) > 30 and "harus 16 angka, yang ditulis {} angka." in ALL


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "id"])
def test_every_sentence_is_said_in_each_language(language: str) -> None:
    spoken = words(language)
    assert [text for text in ALL if text not in spoken.errors] == []
    assert spoken.translated("harus 16 angka, yang ditulis 15 angka.") == "it must be 16 digits, 15 were written."
    assert spoken.translated("tanggal ini tidak terbaca. Tulis misalnya 5 Maret 1990 atau 05-03-1990.").isascii()
    assert spoken.translated("Tidak dikenal.") == "Tidak dikenal."


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_fills_the_same_places(language: str) -> None:
    def places(of: OfficeWords) -> dict[str, set[str | None]]:
        texts = {name: text for name, text in of.model_dump().items() if isinstance(text, str)} | of.verification
        return {name: {part[1] for part in string.Formatter().parse(text)} - {None} for name, text in texts.items()}

    assert places(words(language)) == places(words("id"))
    assert words(language).tools.keys() == words("id").tools.keys() and len(words(language).months) == 12


def test_an_office_of_an_unknown_language_is_refused(tmp_path: Path) -> None:
    (tmp_path / "office.toml").write_text('language = "xx"\n' + SAMPLE.read_text(encoding="utf-8"))
    with pytest.raises(OfficeError, match="'xx' is none of en, id"):
        load(tmp_path / "office.toml")
