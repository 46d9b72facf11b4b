"""One variable name per label, following the examples' habits, so that a grammar knows a variable's label."""

from __future__ import annotations

from collections import Counter

from servers.text2cypher.cypher.structure import parse
from servers.text2cypher.graph.schema import GraphSchema


def variables_of(schema: GraphSchema, queries: list[str]) -> dict[str, str]:
    """{label: variable}: the examples' most frequent choice, else the first free letter of the label."""
    habits: dict[str, Counter[str]] = {label: Counter() for label in schema.labels}
    for query in queries:
        for node in parse(query).nodes:
            if node.variable and len(node.labels) == 1 and node.labels[0] in habits:
                habits[node.labels[0]][node.variable.rstrip("0123456789")] += 1
    chosen: dict[str, str] = {}
    for label in sorted(schema.labels, key=lambda name: -habits[name].total()):
        wanted = [name for name, _ in habits[label].most_common()]
        letters = [letter for letter in label.lower() if letter.isascii() and letter.isalpha()] or ["n"]
        free = [name for name in [*wanted, *letters, f"{letters[0]}{len(chosen)}x"] if name not in chosen.values()]
        chosen[label] = free[0]
    return chosen


def numbered(labels: tuple[str, ...], variables: dict[str, str]) -> list[str]:
    """Variables for a chain's nodes: m, m2, m3 … for repeated labels."""
    seen: Counter[str] = Counter()
    names = []
    for label in labels:
        seen[label] += 1
        names.append(variables[label] + (str(seen[label]) if seen[label] > 1 else ""))
    return names


def property_of(held: str) -> str:
    """The property in `variable.property`."""
    return held.partition(".")[2]


def columns_of(held: list[str]) -> list[str]:
    """The items without repetitions, and without properties of nodes that are returned whole."""
    return [one for one in dict.fromkeys(held) if "." not in one or one.partition(".")[0] not in held]
