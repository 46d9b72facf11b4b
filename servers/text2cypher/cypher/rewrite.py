"""Translates Neo4j's Cypher to the embedded engine's dialect, with the same rows. Doesn't change queries for Neo4j.

Measured differences of Kuzu and Ladybug: no inline WHERE, no `WHERE n:L`, other names for some functions, walks instead
of trails (an edge may be used twice in one MATCH), ORDER BY after WITH only with SKIP or LIMIT, 1-based lists and
texts, subqueries only with MATCH, keywords as names only in backquotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations, pairwise

from servers.text2cypher.cypher.brackets import closing, find
from servers.text2cypher.cypher.functions import Edit, UnsupportedError, apply, calls, subscripts
from servers.text2cypher.cypher.records import RelationshipPattern, Structure
from servers.text2cypher.cypher.structure import parse
from servers.text2cypher.cypher.tokens import Kind, Token, quote
from servers.text2cypher.linking.language import message

LONGEST_PATH = 30
_KEYWORDS = frozenset(
    """
    ALL AND AS ASC ASCENDING CASE CAST COLUMN CONTAINS CREATE DBTYPE DEFAULT DELETE DESC DESCENDING DISTINCT ELSE END
    ENDS EXISTS FALSE GLOB GROUP HEADERS IN INSTALL IS LIMIT MACRO MATCH MULTI NOT NULL ON ONLY OPTIONAL OR ORDER
    PRIMARY PROFILE PROJECT RETURN SET SHORTEST SKIP STARTS TABLE THEN TO TRUE UNION UNWIND WHEN WHERE WITH XOR
    """.split()
)


_COMPARISONS = ("<", "<=", ">", ">=", "=")


def for_embedded(query: str) -> str:
    """The query in the embedded engine's dialect. Raises UnsupportedError and the errors of structure.parse."""
    read, structure = query, parse(query)
    for step in (
        _nested_subqueries,
        calls,
        _chained,
        subscripts,
        _projections,
        _comprehensions,
        _subqueries,
        _reserved,
        _patterns,
    ):
        if query != read:
            read, structure = query, parse(query)
        query = apply(query, step(query, structure))
    return query.rstrip().rstrip(";")


def _chained(query: str, structure: Structure) -> list[Edit]:
    """Splits `1990 <= n.year < 2000` into `1990 <= n.year AND n.year < 2000`, except after NOT."""
    tokens, edits = structure.tokens, []
    for place, token in enumerate(tokens):
        size = 3 if tokens[place + 2 : place + 3] and tokens[place + 2].text == "." else 1
        after = tokens[place + 1 + size] if place + 1 + size < len(tokens) else token
        signs = token.text in _COMPARISONS and after.text in _COMPARISONS and after is not token
        if signs and (tokens[place + 1].is_name or tokens[place + 1].kind is Kind.NUMBER):
            first = place - (3 if tokens[place - 2].text == "." else 1)
            if not tokens[first - 1].is_word("NOT"):
                middle = query[tokens[place + 1].start : tokens[place + size].end]
                edits.append((after.start, after.start, f"AND {middle} "))
    return edits


def _comprehensions(query: str, structure: Structure) -> list[Edit]:
    """Replaces `[x IN list WHERE test | value]` by list_filter and list_transform."""
    tokens = structure.tokens
    edits: list[Edit] = []
    for place, token in enumerate(tokens[:-3]):
        if token.text == "[" and tokens[place + 1].text == "(" and _is_pattern_list(tokens, place):
            raise UnsupportedError(message("unsupported", text="[(a)-->(b) | b]", hint=message("instead_of_pattern")))
        if token.text != "[" or not tokens[place + 1].is_name or not tokens[place + 2].is_word("IN"):
            continue
        close = closing(tokens, place)
        where = find(tokens, lambda t: t.is_word("WHERE"), place + 3, close)
        bar = find(tokens, lambda t: t.text == "|", place + 3, close)
        variable = tokens[place + 1].text
        source = query[tokens[place + 3].start : tokens[min(where, bar, close)].start].strip()
        if where < close:
            test = query[tokens[where].end : tokens[min(bar, close)].start].strip()
            source = f"list_filter({source}, {variable} -> {test})"
        if bar < close:
            value = query[tokens[bar].end : tokens[close].start].strip()
            source = f"list_transform({source}, {variable} -> {value})"
        edits.append((token.start, tokens[close].end, source))
    return edits


def _is_pattern_list(tokens: list[Token], place: int) -> bool:
    """True for `[(a)-[:T]->(b) | b.name]`."""
    close = closing(tokens, place)
    after = closing(tokens, place + 1) + 1
    bar = find(tokens, lambda t: t.text == "|", place + 1, close)
    return bar < close and after < bar and tokens[after].text in ("-", "<")


def _projections(query: str, structure: Structure) -> list[Edit]:
    """Replaces `v {.name, .built, year: 1}` by `{name: v.name, built: v.built, year: 1}`."""
    edits: list[Edit] = []
    tokens = structure.tokens
    for place, (token, opener, first) in enumerate(zip(tokens, tokens[1:], tokens[2:], strict=False)):
        if not token.is_name or opener.text != "{" or first.text != ".":
            continue
        close = closing(tokens, place + 1)
        inside = query[opener.end : tokens[close].start]
        if ".*" in inside.replace(" ", ""):
            raise UnsupportedError(
                message("unsupported", text=f"{token.text} {{.*}}", hint=message("instead_of_all", text=token.text))
            )
        held = re.sub(r"(^|,)\s*\.\s*(`[^`]+`|\w+)", rf"\1 \2: {token.text}.\2", inside)
        edits.append((token.start, tokens[close].end, f"{{{held.strip()}}}"))
    return edits


def _nested_subqueries(query: str, structure: Structure) -> list[Edit]:
    """Makes no edit; raises UnsupportedError for `all(x IN list WHERE EXISTS { … })`, which crashes the engine."""
    del query
    tokens = structure.tokens
    for place, token in enumerate(tokens[:-3]):
        if token.is_word("ALL", "ANY", "NONE", "SINGLE") and tokens[place + 1].text == "(":
            inside = tokens[place : closing(tokens, place + 1)]
            if any(one.is_word("EXISTS", "COUNT") and two.text == "{" for one, two in pairwise(inside)):
                text = f"{token.text}(… EXISTS {{ … }})"
                raise UnsupportedError(message("unsupported", text=text, hint=message("instead_of_inner")))
    return []


def _subqueries(query: str, structure: Structure) -> list[Edit]:
    """Adds MATCH to `EXISTS { (a)-->(b) }` and `COUNT { … }`, and replaces `size((a)-->(b))` by COUNT."""
    del query
    edits: list[Edit] = []
    tokens = structure.tokens
    for place, (token, opener, inner) in enumerate(zip(tokens, tokens[1:], tokens[2:], strict=False)):
        if token.is_word("EXISTS", "COUNT") and opener.text == "{" and not inner.is_word("MATCH", "OPTIONAL"):
            edits.append((opener.end, opener.end, " MATCH "))
        if token.is_word("SIZE") and opener.text == inner.text == "(":
            close = closing(tokens, place + 1)
            edits += [(token.start, opener.end, "COUNT { MATCH "), (tokens[close].start, tokens[close].end, " }")]
    return edits


def _reserved(query: str, structure: Structure) -> list[Edit]:
    """Puts names that are keywords of the engine in backquotes."""
    del query
    edits: list[Edit] = []
    tokens = structure.tokens
    own = structure.bound | structure.aliases
    values = set(_values_of_maps(tokens))
    for place, (before, token, after) in enumerate(zip([None, *tokens], tokens, [*tokens[1:], None], strict=False)):
        if token.kind is not Kind.NAME or token.text.upper() not in _KEYWORDS or before is None:
            continue
        key = before.text in ("{", ",") and after is not None and after.text == ":"
        named = (before.text in (":", "|", ".") and place not in values) or before.is_word("AS") or key
        variable = token.text in own and not (after is not None and after.is_word("BY"))
        if named or (variable and (before.text in ("(", ",", "[") or (after is not None and after.text in (".", ")")))):
            edits.append((token.start, token.end, f"`{token.text}`"))
    return edits


def _values_of_maps(tokens: list[Token]) -> Iterator[int]:
    """The positions directly after `key:` of a map, where e.g. `true` isn't a label."""
    around: list[str] = []
    for place, token in enumerate(tokens):
        if token.text in ("(", "[", "{"):
            around.append(token.text)
        elif token.text in (")", "]", "}"):
            around = around[:-1]
        elif token.text == ":" and around[-1:] == ["{"]:
            yield place + 1


def _patterns(query: str, structure: Structure) -> list[Edit]:
    edits: list[Edit] = []
    edits += [(start, end, f"label({name}) = {quote(label)}") for name, label, start, end in structure.label_tests]
    conditions: dict[int, list[str]] = {}
    for number in range(len(structure.match_ends)):
        conditions[number] = _inline_where(query, structure, number, edits)
    _trails(query, structure, conditions, edits)
    for number, (end, where, _) in enumerate(structure.match_ends):
        if not conditions[number]:
            continue
        text = " AND ".join(conditions[number])
        if where < 0:
            edits.append((end, end, f" WHERE {text}"))
        else:
            body = _where_end(structure, where)
            edits += [(where + 5, where + 5, f" {text} AND ("), (body, body, ")")]
    edits += _ordered_with(structure)
    edits += _shortest(query, structure)
    return edits


def _inline_where(query: str, structure: Structure, number: int, edits: list[Edit]) -> list[str]:
    """Removes `(n:L WHERE …)` from the patterns of one MATCH and returns the conditions."""
    begin = structure.match_ends[number - 1][0] if number else 0
    end = structure.match_ends[number][0]
    found = []
    for node in structure.nodes:
        if node.where is not None and begin <= node.start < end:
            edits.append((*node.where, ""))
            found.append("(" + query[node.where[0] + 5 : node.where[1]].strip() + ")")
    return found


def _trails(query: str, structure: Structure, conditions: dict[int, list[str]], edits: list[Edit]) -> None:
    """Excludes using an edge twice within one MATCH, as Neo4j does."""
    named: dict[int, str] = {}
    for place, relationship in enumerate(structure.relationships):
        if relationship.length is not None and relationship.bracket is not None:
            if "shortest" not in query[: relationship.start].lower():
                edits.append(_trail(query, relationship))
            continue
        if relationship.match < 0:
            continue
        named[place] = relationship.variable or f"_r{place}"
    for (a, first), (b, second) in combinations(named.items(), 2):
        left, right = structure.relationships[a], structure.relationships[b]
        if left.match != right.match or (left.types and right.types and not set(left.types) & set(right.types)):
            continue
        if first == second:
            continue
        for place in (a, b):
            edit = _name(structure.relationships[place], named[place])
            if edit and edit not in edits:
                edits.append(edit)
        conditions[left.match].append(f"id({first}) <> id({second})")


def _name(relationship: RelationshipPattern, name: str) -> Edit | None:
    if relationship.variable is not None:
        return None
    if relationship.bracket is not None:
        return (relationship.bracket[0], relationship.bracket[0], name)
    arrow = {"->": f"-[{name}]->", "<-": f"<-[{name}]-", "--": f"-[{name}]-"}[relationship.direction]
    return (relationship.start, relationship.end, arrow)


def _trail(query: str, relationship: RelationshipPattern) -> Edit:
    assert relationship.bracket is not None and relationship.length is not None
    low, high = relationship.length
    inside = query[slice(*relationship.bracket)]
    star = relationship.bracket[0] + inside.index("*")
    stop = star + len(re.match(r"\*\s*\d*\s*(\.\.\s*\d*)?", query[star:]).group())  # type: ignore[union-attr]
    return (star, stop, f"* TRAIL {low}..{min(high or LONGEST_PATH, LONGEST_PATH)}")


def _shortest(query: str, structure: Structure) -> list[Edit]:
    """Replaces `shortestPath((a)-[:T*..5]->(b))` by `(a)-[:T* SHORTEST 1..5]->(b)`."""
    edits: list[Edit] = []
    tokens = structure.tokens
    for place, token in enumerate(tokens[:-1]):
        if not token.is_word("SHORTESTPATH", "ALLSHORTESTPATHS"):
            continue
        close = closing(tokens, place + 1)
        mode = "SHORTEST" if token.is_word("SHORTESTPATH") else "ALL SHORTEST"
        edits += [(token.start, tokens[place + 1].end, ""), (tokens[close].start, tokens[close].end, "")]
        for relationship in structure.relationships:
            if token.start < relationship.start < tokens[close].start and relationship.length is not None:
                start, stop, text = _trail(query, relationship)
                edits.append((start, stop, text.replace("TRAIL", mode)))
    return edits


def _ordered_with(structure: Structure) -> list[Edit]:
    """Adds SKIP to `WITH … ORDER BY x`, which the engine requires."""
    edits: list[Edit] = []
    inside_with = False
    words = [*structure.clauses, ("", structure.tokens[-1].end)]
    for (word, _), (following, place) in pairwise(words):
        if word in ("WITH", "RETURN", "MATCH", "UNWIND"):
            inside_with = word == "WITH"
        if word == "ORDER" and inside_with and following not in ("SKIP", "LIMIT"):
            edits.append((place, place, "SKIP 0 "))
    return edits


def _where_end(structure: Structure, where: int) -> int:
    """The end offset of the WHERE that starts at `where`: the last token before the next clause."""
    later = [offset for _, offset in structure.clauses if offset > where]
    limit = min(later) if later else structure.tokens[-1].end + 1
    return max(t.end for t in structure.tokens if t.start < limit)
