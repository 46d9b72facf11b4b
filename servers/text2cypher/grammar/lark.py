"""Pieces of llguidance grammars, and their validation, because an invalid one would be silently ignored downstream."""

from __future__ import annotations

import json

THINKING = '"<think>" THOUGHT "</think>\\n"'
_THOUGHT = "THOUGHT: /[^<]{1,400}/"


class GrammarError(ValueError):
    """A generated grammar doesn't compile: a bug of ours, never of the model."""


def literal(text: str) -> str:
    """`text` as a Lark string."""
    return json.dumps(text, ensure_ascii=False)


def either(options: list[str]) -> str:
    """Alternatives of Lark expressions, in parentheses."""
    return "(" + " | ".join(options) + ")" if len(options) > 1 else options[0]


def grammar(rules: list[str], *, thinking: bool) -> str:
    """The complete grammar of an answer; `rules` define `query`. Raises GrammarError."""
    start = f'start: {THINKING + " " if thinking else ""}"<cypher>" query "</cypher>"'
    text = "\n".join(["%llguidance {}", start, *rules, *([_THOUGHT] if thinking else [])])
    from llguidance import LLMatcher

    if problem := LLMatcher.validate_grammar(text):
        raise GrammarError(problem)
    return text
