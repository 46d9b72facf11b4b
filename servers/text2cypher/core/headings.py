"""The columns and cells of a result in words instead of Cypher: `b.productName` is `product name`. Changes none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.cypher.tokens import CypherSyntaxError, Token, tokenize
from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.names import spaced
from servers.text2cypher.linking.naming import is_called


def headings(columns: Sequence[str], facts: QueryFacts, words: Mapping[str, str]) -> list[str]:
    """One heading per column: a property, a node's labels, or a figure by its word in `words` (a language's).

    Equal headings get their label appended. Other columns stay as in the query.
    """
    found = [_heading(column, facts, words) for column in columns]
    times = Counter(text for text, _ in found)
    return [f"{text} ({label})" if label and times[text] > 1 else text for text, label in found]


def _heading(column: str, facts: QueryFacts, words: Mapping[str, str]) -> tuple[str, str]:
    """(the text, the label it belongs to)."""
    try:
        tokens = tokenize(column)
    except CypherSyntaxError:
        return column, ""
    inner = [token for token in tokens[2:-1] if not token.is_word("DISTINCT")]
    figure = words.get(f"heading_{tokens[0].value.lower()}") if [t.text for t in tokens[1:2]] == ["("] else None
    if figure is not None and (held := _said(inner, facts)) is not None:
        return figure.format(of=held[0]).strip(), held[1]
    return _said(tokens, facts) or (column, "")


def _said(tokens: Sequence[Token], facts: QueryFacts) -> tuple[str, str] | None:
    """(labels of a variable or words of a property, label); None for other expressions."""
    if (
        not tokens
        or not tokens[0].is_name
        or [token.text for token in tokens[1:2]] not in ([], ["."])
        or len(tokens) > 3
    ):
        return ("", "") if [token.text for token in tokens] == ["*"] else None
    label = "/".join(sorted(facts.structure.labels_of(tokens[0].value)))
    plain = spaced(tokens[-1].value)
    return (label or plain if len(tokens) == 1 else plain), label


def cell_text(value: Any) -> str:
    """A cell in words; a node by its name, or by all its properties."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    if isinstance(value, list):
        return ", ".join(cell_text(item) for item in value)
    if isinstance(value, dict):
        called = (value[name] for word in languages().naming for name in value if is_called(name, word))
        if (name := next(called, None)) is not None:
            return cell_text(name)
        return ", ".join(f"{key} {cell_text(item)}" for key, item in value.items())
    return str(value)
