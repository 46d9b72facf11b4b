"""Splits Cypher text into strings, names, numbers and punctuation in one pass. Not a parser.

A second pass over text without strings or comments could be fooled by a quote inside a comment or a comment inside a
string.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import Enum

from servers.text2cypher.linking.language import message


class Kind(Enum):
    """The type of a token; `NAME` includes keywords, because Cypher reserves none of them everywhere."""

    NAME = "name"
    QUOTED = "quoted name"
    STRING = "string"
    NUMBER = "number"
    PARAMETER = "parameter"
    PUNCTUATION = "punctuation"


@dataclass(frozen=True, slots=True)
class Token:
    """`text` as written; `value` without quotes and escapes; `start` and `end`: offsets into the query."""

    kind: Kind
    text: str
    value: str
    start: int
    end: int

    def is_word(self, *words: str) -> bool:
        """True if this is one of the keywords (given in upper case), in any case."""
        return self.kind is Kind.NAME and self.text.upper() in words

    @property
    def is_name(self) -> bool:
        """True for a plain or a backquoted name."""
        return self.kind in (Kind.NAME, Kind.QUOTED)


class CypherSyntaxError(ValueError):
    """The text isn't Cypher; `offset`: the 0-based position in characters."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


_DISGUISE = re.compile(r"\\[uU]|\r(?!\n)")
_UNSEEN = frozenset({"Cc", "Cf", "Zl", "Zp", "Cs", "Co", "Cn"})
"""Categories of characters that engines treat as space, line end, part of a name, or nothing."""
_TOKEN = re.compile(
    r"""
    (?P<blank>[\ \t\n\r]+)
  | (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
  | (?P<quoted>`(?:[^`]|``)*`)
  | (?P<parameter>\$(?:\w+|`(?:[^`]|``)*`))
  | (?P<number>0x[0-9A-Fa-f]+|(?:\d+\.\d+|\.\d+|\d+)(?:[eE][+-]?\d+)?(?![A-Za-z_]))
  | (?P<name>[^\W\d]\w*)
  | (?P<punctuation><=|>=|<>|!=|=~|\+=|\.\.|/(?!\*)|[(){}\[\]<>=+\-*%^.,:;|&!])
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_KINDS = {
    "string": Kind.STRING,
    "quoted": Kind.QUOTED,
    "parameter": Kind.PARAMETER,
    "number": Kind.NUMBER,
    "name": Kind.NAME,
    "punctuation": Kind.PUNCTUATION,
}


def tokenize(query: str) -> list[Token]:
    """The tokens of `query`, comments and blanks left out. Raises CypherSyntaxError.

    What another engine might read otherwise is no Cypher here: Neo4j decodes `\\uXXXX` before anything else, and ends a
    line comment at a bare carriage return.
    """
    _refuse_disguises(query)
    tokens: list[Token] = []
    at = 0
    while at < len(query):
        found = _TOKEN.match(query, at)
        if found is None:
            raise CypherSyntaxError(_why_not(query, at), at)
        kind = found.lastgroup or ""
        if kind == "comment" and "/*" in found.group()[2:]:
            raise CypherSyntaxError(message("nested_comment", at=at), at)
        if kind not in ("blank", "comment"):
            text = found.group()
            tokens.append(Token(_KINDS[kind], text, _value(kind, text), at, found.end()))
        at = found.end()
    return tokens


def _refuse_disguises(query: str) -> None:
    unseen = (at for at, char in enumerate(query) if char not in "\t\n\r" and unicodedata.category(char) in _UNSEEN)
    if (at := next(unseen, None)) is not None:
        raise CypherSyntaxError(message("unseen_character", code=ord(query[at]), at=at), at)
    if (found := _DISGUISE.search(query)) is not None:
        name = "carriage_return" if found[0] == "\r" else "unicode_escape"
        raise CypherSyntaxError(message(name, text=found[0], at=found.start()), found.start())


def quote(value: str) -> str:
    """`value` as a Cypher string literal."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"


def named(name: str) -> str:
    """`name` as a label, type or property, in backquotes if necessary."""
    return name if re.fullmatch(r"[^\W\d]\w*", name) else "`" + name.replace("`", "``") + "`"


def _value(kind: str, text: str) -> str:
    if kind == "string":
        return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m.group(1), m.group(1)), text[1:-1], flags=re.DOTALL)
    if kind == "quoted":
        return text[1:-1].replace("``", "`")
    return text


def _why_not(query: str, at: int) -> str:
    if query[at] in "'\"":
        return message("open_string", at=at)
    if query[at] == "`":
        return message("open_name", at=at)
    if query.startswith("/*", at):
        return message("open_comment", at=at)
    return message("no_cypher", character=query[at], at=at)
