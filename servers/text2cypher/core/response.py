"""Extracts the query from a model's answer: tags, fences, prose, several blocks, truncated text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from servers.text2cypher.linking.language import languages

_THINK = re.compile(r"<think(?:ing)?>(.*?)(?:</think(?:ing)?>|(?=<cypher>)|$)", re.DOTALL | re.IGNORECASE)
_TAGGED = re.compile(r"<cypher>(.*?)(?:</cypher>|(?=<cypher>)|$)", re.DOTALL | re.IGNORECASE)
_FENCED = re.compile(r"```[ \t]*(?:cypher|sql|neo4j|cql)?[ \t]*\n?(.*?)(?:```|$)", re.DOTALL | re.IGNORECASE)
_STATEMENT = re.compile(
    r"(?:^|(?<=[\s:]))(?:OPTIONAL\s+MATCH|MATCH|UNWIND|WITH)\b[\s\S]*", re.IGNORECASE | re.MULTILINE
)
_PROSE = re.compile(r"\n\s*\n|\n(?=[A-Z][a-z]+ [a-z])|\n(?=(?:" + "|".join(languages().remarks) + r")\b)")
_CODE = re.compile(r"\b(?:MATCH|RETURN|UNWIND|WITH)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Answer:
    """`query` is empty if the text has none."""

    query: str
    reasoning: str


def parse_response(text: str) -> Answer:
    """The last tagged query, else the last fenced one, else the first statement in the prose."""
    thoughts = " ".join(part.strip() for part in _THINK.findall(text)).strip()
    rest = _THINK.sub(" ", text)
    for pattern in (_TAGGED, _FENCED):
        found = [block for block in (_clean(part) for part in pattern.findall(rest)) if _CODE.search(block)]
        if found:
            return Answer(found[-1], thoughts)
    statement = _STATEMENT.search(rest)
    if statement is None:
        return Answer("", thoughts or rest.strip())
    return Answer(_clean(_PROSE.split(statement.group())[0]), thoughts)


def _clean(block: str) -> str:
    """A query without fences, leading labels, surrounding space and semicolon."""
    fenced = _FENCED.search(block)
    if fenced is not None:
        block = fenced.group(1)
    block = re.sub(r"</?\w+>\s*$", "", block.strip())
    block = re.sub(r"^(?:cypher|query)\s*:\s*", "", _unquoted(block.strip()).strip(), flags=re.IGNORECASE)
    return block.strip().rstrip(";").strip()


def _unquoted(block: str) -> str:
    """The text without backquotes around it; those of a name at its end stay."""
    return block.strip("`") if block.startswith("`") or block.count("`") % 2 else block
