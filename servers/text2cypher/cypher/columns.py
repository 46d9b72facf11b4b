"""The column names of a query: an alias, or the expression as written. Uses text only."""

from __future__ import annotations

from collections.abc import Sequence

from servers.text2cypher.cypher.brackets import find, outside, parted
from servers.text2cypher.cypher.tokens import Token, tokenize

_AFTER = ("ORDER", "SKIP", "LIMIT", "UNION")


def column_names(query: str) -> list[str]:
    """The names as in Neo4j; empty if the query doesn't end in a RETURN or returns `*`."""
    tokens = tokenize(query)
    begin = max((place + 1 for place, token in outside(tokens) if token.is_word("RETURN")), default=len(tokens))
    begin += any(token.is_word("DISTINCT") for token in tokens[begin : begin + 1])
    end = find(tokens, lambda token: token.text == ";" or token.is_word(*_AFTER), begin)
    names = [_name(query, item) for item in parted(tokens[begin:end])]
    return [] if names == ["*"] else names


def owner_and_property(column: str) -> tuple[str, str]:
    """(variable, property) of `a.name`, the property without backquotes; the variable is "" if there is no dot."""
    variable, _, name = column.rpartition(".")
    return variable, name.strip("`").replace("``", "`")


def _name(query: str, item: Sequence[Token]) -> str:
    if len(item) > 2 and item[-2].is_word("AS"):
        return item[-1].value
    return query[item[0].start : item[-1].end]
