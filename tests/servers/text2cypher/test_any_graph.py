"""No word of one graph stands in the code: a stranger's graph is read as well as the shipped one (issue 20)."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

from servers.text2cypher.graph.folder import CURRICULUM
from servers.text2cypher.graph.schema import GraphSchema
from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.lexicon import load_lexicon

CODE = Path(__file__).parents[3] / "servers" / "text2cypher"
ORDINARY = frozenset(
    "tipe jenis kelompok nama keterangan penjelasan name code type description credit track subject duration isi lama "
    "judul jalur bertipe".split()
)
"""Words of the curriculum's lexicon that any program has."""


def _texts(file: Path) -> list[str]:
    """The string literals of a module that are no docstrings."""
    nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    alone = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    return [
        str(n.value) for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in alone
    ]


def test_no_word_of_the_curriculum_stands_in_the_code() -> None:
    lexicon = json.loads((CURRICULUM / "lexicon.json").read_text(encoding="utf-8"))
    held = [lexicon[kind] for kind in ("labels", "properties")]
    words = {word for names in held for phrases in names.values() for word in phrases} - ORDINARY
    words |= {name.lower() for names in held for name in names} - ORDINARY
    seen = []
    for file in CODE.rglob("*.py"):
        for text in _texts(file):
            seen += [(file.name, word) for word in words if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text.lower())]
    assert sorted(set(seen)) == []


def test_a_strangers_graph_is_given_none_of_the_curriculums_words() -> None:
    lexicon = load_lexicon(GraphSchema({"topic": {"nama": "STRING"}, "Forum": {"judul": "STRING"}}, (), {}))
    assert "materi" not in lexicon.labels and not lexicon.ignored and lexicon.labels["forums"] == "Forum"


def test_every_language_says_every_answer() -> None:
    voices = languages().voices
    keys = [set(voice.answers) for voice in voices.values()]
    assert len(voices) >= 2 and all(held == keys[0] for held in keys)
    assert languages().voice_of("Which ships are there?") is voices["en"]
    assert languages().voice_of("Kapal apa saja?") is voices["id"]
