"""The column names of a query: an alias, or the expression as written. Uses text only."""

from __future__ import annotations

from servers.text2cypher.cypher.tokens import Token, tokenize

_AFTER = ("ORDER", "SKIP", "LIMIT", "UNION")


def column_names(query: str) -> list[str]:
    """The names as in Neo4j; empty if the query doesn't end in a RETURN or returns `*`."""
    tokens = tokenize(query)
    depth = 0
    begin = None
    for place, token in enumerate(tokens):
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        if depth == 0 and token.is_word("RETURN"):
            begin = place + 1
    if begin is None:
        return []
    if begin < len(tokens) and tokens[begin].is_word("DISTINCT"):
        begin += 1
    names: list[str] = []
    item: list[Token] = []
    for token in tokens[begin:]:
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        if depth == 0 and (token.text == ";" or token.is_word(*_AFTER)):
            break
        if depth == 0 and token.text == ",":
            names.append(_name(query, item))
            item = []
        else:
            item.append(token)
    if item:
        names.append(_name(query, item))
    return [] if names == ["*"] else names


def owner_and_property(column: str) -> tuple[str, str]:
    """(variable, property) of `a.name`, the property without backquotes; the variable is "" if there is no dot."""
    variable, _, name = column.rpartition(".")
    return variable, name.strip("`").replace("``", "`")


def _name(query: str, item: list[Token]) -> str:
    if not item:
        return ""
    if len(item) > 2 and item[-2].is_word("AS"):
        return item[-1].value
    return query[item[0].start : item[-1].end]
