"""Decides whether a query only reads the graph. Not a sandbox; that is the engine's process (graph/lockdown.py)."""

from __future__ import annotations

from servers.text2cypher.cypher.tokens import CypherSyntaxError, Kind, Token, tokenize
from servers.text2cypher.linking.language import message

MAX_LENGTH = 20_000
FORBIDDEN = frozenset(
    """
    CREATE MERGE SET DELETE DETACH REMOVE DROP ALTER LOAD COPY EXPORT IMPORT INSTALL UNINSTALL ATTACH USE CALL
    FOREACH EXPLAIN PROFILE BEGIN COMMIT ROLLBACK CHECKPOINT COMMENT GRANT DENY REVOKE TERMINATE SHOW START
    STOP FORCE UPDATE INSERT ANALYZE VACUUM MACRO YIELD PRAGMA EXTENSION
    """.split()
)


class NotReadOnlyError(ValueError):
    """The query does, or could do, something other than read the graph."""


def ensure_read_only(query: str) -> list[Token]:
    """The query's tokens if it only reads. Raises NotReadOnlyError, or CypherSyntaxError if it isn't Cypher."""
    if len(query) > MAX_LENGTH:
        raise NotReadOnlyError(message("long_query", most=MAX_LENGTH))
    tokens = tokenize(query)
    if tokens and tokens[-1].text == ";":
        tokens = tokens[:-1]
    if (missing := next((token for token in tokens if token.kind is Kind.PARAMETER), None)) is not None:
        raise CypherSyntaxError(message("parameter", text=missing.text), missing.start)
    if not tokens:
        raise CypherSyntaxError(message("empty_query"), 0)
    for previous, token, following in zip([None, *tokens], tokens, [*tokens[1:], None], strict=False):
        if token.text == ";":
            raise NotReadOnlyError(message("one_statement"))
        if _is_statement_word(previous, token, following):
            raise NotReadOnlyError(message("read_only", word=token.text.upper()))
    return tokens


def _is_statement_word(previous: Token | None, token: Token, following: Token | None) -> bool:
    """True for a forbidden word, unless it is a property, a label, a map key or an alias."""
    if token.kind is not Kind.NAME or token.text.upper() not in FORBIDDEN:
        return False
    if previous is not None and previous.text in (".", ":"):
        return False
    return not (following is not None and following.text == ":" and previous is not None and previous.text in "{,")
