"""A position in a list of tokens with look-ahead. It raises nothing; its subclasses do."""

from __future__ import annotations

from servers.text2cypher.cypher.tokens import Token


class TokenCursor:
    """Iterates over the tokens of one text; `at`: the index of the next one."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0

    def peek(self, ahead: int = 0) -> Token | None:
        """A token further on; None at the end."""
        place = self.at + ahead
        return self.tokens[place] if 0 <= place < len(self.tokens) else None

    def text(self, ahead: int = 0) -> str:
        """The text of a token further on; empty at the end."""
        token = self.peek(ahead)
        return token.text if token else ""

    def word(self, *words: str) -> bool:
        """True if one of the keywords comes next."""
        token = self.peek()
        return token is not None and token.is_word(*words)

    def skip(self, *texts: str) -> bool:
        """Skips these texts or keywords if all of them come next; returns whether it did."""
        if any(self.text(n).upper() != text for n, text in enumerate(texts)):
            return False
        self.at += len(texts)
        return True
