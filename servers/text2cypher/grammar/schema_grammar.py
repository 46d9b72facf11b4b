"""The grammar of all queries that the schema allows; unknown labels, types, properties or directions are impossible.

Of a question it uses at most the texts to compare with. Paths have at most two steps and lists are bounded; otherwise a
model might never stop.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from servers.text2cypher.cypher.tokens import named, quote
from servers.text2cypher.grammar.paths import Chain, chains
from servers.text2cypher.grammar.variables import numbered, variables_of
from servers.text2cypher.graph.schema import BOOLEAN, FLOAT, INTEGER, LISTS, STRING, GraphSchema

HOPS = 2
_THINKING = '"<think>" THOUGHT "</think>\\n"'
_THOUGHT = "THOUGHT: /[^<]{1,400}/"


class GrammarError(ValueError):
    """A generated grammar doesn't compile: a bug of ours, never of the model."""


@dataclass(frozen=True)
class Said:
    """What a query for a question may contain. `texts` and `numbers`: the only literals; if empty, any short one.

    Only the paths with the most relationships of `kinds` are kept. `figure`: the column name of a count.
    """

    figure: str
    texts: Sequence[str] = ()
    numbers: Collection[float] = ()
    kinds: Collection[str] = ()


def schema_grammar(schema: GraphSchema, queries: list[str], said: Said, *, thinking: bool = False) -> str:
    """The grammar; the variable names of the example `queries` are kept. Raises GrammarError."""
    variables = variables_of(schema, queries)
    most = dict.fromkeys(schema.labels, 1)
    for start, _, end in schema.paths:
        if start == end:
            most[start] = 3
    rules = []
    by_scope: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for chain in _naming(chains(schema, set(schema.relationships), most, HOPS), said.kinds):
        names = numbered(chain.labels, variables)
        edges = _edges(schema, chain, names)
        held = [*zip(names, chain.labels, strict=True), *((name, kind) for name, kind in edges if name)]
        by_scope.setdefault(tuple(sorted(held)), []).append(_pattern(chain, names, [name for name, _ in edges]))
    queries_of_scope = []
    for number, (scope, patterns) in enumerate(by_scope.items()):
        rules += _scope_rules(schema, number, scope, patterns)
        queries_of_scope.append(f"q{number}")
    rules += [_node_rule(schema, label) for label in schema.labels]
    rules += [
        "query: " + " | ".join(queries_of_scope),
        f"STRING: {_strings(said.texts)}",
        f"INTEGER: {_numbers(said.numbers)}",
        'BOOLEAN: "true" | "false"',
        'comparison: " = " | " <> " | " > " | " < " | " >= " | " <= "',
        'order: " DESC" | " ASC"',
        'limit: " LIMIT " INTEGER',
        f"FIGURE: {_literal(said.figure)}",
    ]
    return _grammar(rules, thinking=thinking)


def _numbers(numbers: Collection[float]) -> str:
    if not numbers:
        return "/[0-9]{1,9}(\\.[0-9]{1,4})?/"
    return " | ".join(_literal(f"{number:.10g}") for number in sorted(numbers) if number >= 0)


def _naming(found: list[Chain], kinds: Collection[str]) -> list[Chain]:
    held = [len({step.kind for step in chain.steps} & set(kinds)) for chain in found]
    return [chain for chain, count in zip(found, held, strict=True) if count == max(held)]


def _strings(texts: Sequence[str]) -> str:
    if not texts:
        return "/'[^'\\\\\\n]{1,80}'/"
    return " | ".join(_literal(quote(text)) for text in dict.fromkeys(texts))


def _edges(schema: GraphSchema, chain: Chain, names: list[str]) -> list[tuple[str, str]]:
    """(variable, type) of each step; the variable is "" if the relationship has no properties."""
    found: list[tuple[str, str]] = []
    for step in chain.steps:
        free = (f"r{number or ''}" for number in range(len(names) + len(chain.steps) + 1))
        name = next(one for one in free if one not in names and one not in {held for held, _ in found})
        found.append((name if schema.relationship_properties.get(step.kind) else "", step.kind))
    return found


def _pattern(chain: Chain, names: list[str], edges: list[str]) -> str:
    """The rule of a chain's nodes and arrows; one that returns to its label may also have a variable length."""
    parts = [_node(chain.labels[0], names[0])]
    for step, label, name, edge in zip(chain.steps, chain.labels[1:], names[1:], edges, strict=True):
        arrow = f"-[{edge}:{named(step.kind)}" if step.forward else f"<-[{edge}:{named(step.kind)}"
        tail = "]->" if step.forward else "]-"
        same = not edge and chain.labels.count(label) > 1
        length = '("*1.." | "*2..")? ' if same else ""
        parts.append(f"{_literal(arrow)} {length}{_literal(tail)} {_node(label, name)}")
    return " ".join(parts)


def _node(label: str, name: str) -> str:
    return f"{_literal(f'({name}:{named(label)}')} {_rule(label)}? {_literal(')')}"


def _rule(label: str) -> str:
    """The rule name for a label, whatever characters it has."""
    return "k_" + "".join(c if c.isascii() and c.isalnum() else f"_{ord(c)}_" for c in label.lower())


def _node_rule(schema: GraphSchema, label: str) -> str:
    held = {name: kind for name, kind in schema.nodes[label].items() if kind not in LISTS.values()}
    pairs = [f"{_literal(f'{named(name)}: ')} {_value(kind)}" for name, kind in held.items()]
    if not pairs:
        return f'{_rule(label)}: ""'
    one = _either(pairs)
    return f'{_rule(label)}: " {{" {one} (", " {one})? "}}"'


def _value(kind: str) -> str:
    return {INTEGER: "INTEGER", FLOAT: "INTEGER", BOOLEAN: "BOOLEAN"}.get(kind, "STRING")


def _scope_rules(
    schema: GraphSchema, number: int, scope: tuple[tuple[str, str], ...], patterns: list[str]
) -> list[str]:
    """Rules for the queries over one set of variables, so that nothing else can be named after MATCH."""
    properties = [
        (f"{name}.{named(held)}", kind)
        for name, owner in scope
        for held, kind in (schema.nodes.get(owner) or schema.relationship_properties.get(owner, {})).items()
    ]
    numeric = [_literal(text) for text, kind in properties if kind in (INTEGER, FLOAT)]
    numeric += [_literal(f"size({text})") for text, kind in properties if kind in LISTS.values()]
    strings = [_literal(text) for text, kind in properties if kind == STRING]
    truths = [_literal(text) for text, kind in properties if kind == BOOLEAN]
    names = [_literal(name) for name, owner in scope if owner in schema.nodes]
    if not properties:
        properties = [(scope[0][0], STRING)]
    tests = []
    if strings:
        ways = '" = " | " <> " | " CONTAINS " | " STARTS WITH " | " ENDS WITH "'
        tests.append(f'{_either(strings)} (({ways}) STRING | " IN [" STRING (", " STRING)? "]")')
    if truths:
        tests.append(f'{_either(truths)} " = " BOOLEAN')
    if numeric:
        ways = 'comparison INTEGER | " % " INTEGER " = " INTEGER | " IN [" INTEGER (", " INTEGER)? "]"'
        tests.append(f"{_either(numeric)} ({ways})")
    tests.append(f'{_either([_literal(text) for text, _ in properties])} (" IS NULL" | " IS NOT NULL")')
    counted = f'"count(" "DISTINCT "? {_either(names)} ")"'
    aggregates = [counted, f'"collect(" "DISTINCT "? p{number} ")"']
    if numeric:
        aggregates.append(f'("sum(" | "avg(" | "min(" | "max(") {_either(numeric)} ")"')
    joined = len(names) == len(scope) > 1  # a relationship with a variable can't be matched twice
    again = f' (" MATCH " {_either(patterns)})?' if joined else ""
    rules = [
        f"q{number}: m{number} r{number}",
        f'm{number}: "MATCH " {_either(patterns)}{again} (" WHERE " t{number} ((" AND " | " OR ") t{number}){{0,2}})?',
        f"t{number}: {_either(tests)}",
        f"p{number}: {_either([_literal(text) for text, _ in properties])}",
        f"a{number}: {_either(aggregates)}",
        f'r{number}: " RETURN " (v{number} | g{number} | b{number} | c{number})',
        f'v{number}: "DISTINCT "? p{number} (", " p{number}){{0,2}} (" ORDER BY " p{number} order?)? limit?',
        f'g{number}: p{number} ", " a{number} (" AS " FIGURE (" ORDER BY " FIGURE order limit?)?)?',
        f"b{number}: a{number}",
        f'c{number}: {counted} " > 0"',
    ]
    if len(scope) > 1:
        rules[0] += f" | m{number} h{number}"
        tested = '" AS " FIGURE " WHERE " FIGURE comparison INTEGER'
        having = f'" WITH " {_either(names)} ", " {counted} {tested} " RETURN " p{number}'
        rules.append(f"h{number}: {having}")
    return rules


def _literal(text: str) -> str:
    """`text` as a Lark string."""
    return json.dumps(text, ensure_ascii=False)


def _either(options: list[str]) -> str:
    """Alternatives of Lark expressions, in parentheses."""
    return "(" + " | ".join(options) + ")" if len(options) > 1 else options[0]


def _grammar(rules: list[str], *, thinking: bool) -> str:
    """The complete grammar of an answer; `rules` define `query`. Raises GrammarError, because llama.cpp ignores an
    invalid grammar silently."""
    start = f'start: {_THINKING + " " if thinking else ""}"<cypher>" query "</cypher>"'
    text = "\n".join(["%llguidance {}", start, *rules, *([_THOUGHT] if thinking else [])])
    from llguidance import LLMatcher

    if problem := LLMatcher.validate_grammar(text):
        raise GrammarError(problem)
    return text
