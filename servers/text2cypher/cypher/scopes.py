"""Which tokens of a query a NOT, NONE or `<>` negates. Reads no question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from servers.text2cypher.cypher.brackets import OPENERS
from servers.text2cypher.cypher.structure import CLAUSES
from servers.text2cypher.cypher.tokens import Token

_ENDS = (*CLAUSES, "AND", "OR", "XOR")


def denials(tokens: Sequence[Token]) -> Iterator[tuple[Token, Sequence[Token]]]:
    """(token, the tokens it negates) for each NOT, NONE and `<>`, except the NOT of IS NOT NULL."""
    for place, token in enumerate(tokens):
        if token.text in ("<>", "!=") or (token.is_word("NOT", "NONE") and not tokens[place - 1].is_word("IS")):
            yield token, _to_the_end(tokens, place + 1)


def is_missing(held: Sequence[Token]) -> bool:
    """True for `n.x IS NULL` alone; a NOT before it isn't a negation."""
    return len(held) > 1 and held[-2].is_word("IS") and held[-1].is_word("NULL")


def _to_the_end(tokens: Sequence[Token], start: int) -> Sequence[Token]:
    depth = 0
    for place in range(start, len(tokens)):
        token = tokens[place]
        depth += (token.text in OPENERS) - (token.text in OPENERS.values())
        if depth < 0 or (not depth and token.is_word(*_ENDS) and not tokens[place - 1].is_word("STARTS", "ENDS")):
            return tokens[start:place]
    return tokens[start:]
