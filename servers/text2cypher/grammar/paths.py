"""All chains by which the graph's schema can join given labels. Knows no questions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from servers.text2cypher.cypher.tokens import named
from servers.text2cypher.graph.schema import GraphSchema

MOST_HOPS = 4


@dataclass(frozen=True)
class Step:
    """A relationship from the previous node to the next; `forward` is False if it is written `<-`."""

    kind: str
    forward: bool

    def arrow(self, variable: str = "", length: str = "") -> str:
        """The step in Cypher; `length`: `*1..` or similar."""
        inside = f"[{variable}:{named(self.kind)}{length}]"
        return f"-{inside}->" if self.forward else f"<-{inside}-"


@dataclass(frozen=True)
class Chain:
    """The labels of the nodes in order, and the steps between them."""

    labels: tuple[str, ...]
    steps: tuple[Step, ...]

    def reversed(self) -> Chain:
        """The same chain from its other end."""
        return Chain(self.labels[::-1], tuple(Step(step.kind, not step.forward) for step in self.steps[::-1]))


def chains(schema: GraphSchema, kinds: set[str], most: dict[str, int], hops: int = MOST_HOPS) -> list[Chain]:
    """All chains over `kinds` with at most `most` occurrences of each label; each in one direction only."""
    found: dict[Chain, None] = {}
    grown = [Chain((label,), ()) for label in most]
    for _ in range(hops + 1):
        following: list[Chain] = []
        for chain in grown:
            if chain.reversed() not in found:
                found[_forward(chain)] = None
            following += _longer(schema, chain, kinds, most)
        grown = following
    return list(found)


def _longer(schema: GraphSchema, chain: Chain, kinds: set[str], most: dict[str, int]) -> list[Chain]:
    last = chain.labels[-1]
    counts = Counter(chain.labels)
    grown = []
    for start, kind, end in schema.paths:
        if kind not in kinds:
            continue
        for forward, here, there in ((True, start, end), (False, end, start)):
            if here == last and counts[there] < most.get(there, 0):
                grown.append(Chain((*chain.labels, there), (*chain.steps, Step(kind, forward))))
    return grown


def _forward(chain: Chain) -> Chain:
    """The direction with more forward arrows."""
    ahead = sum(step.forward for step in chain.steps)
    return chain if ahead * 2 >= len(chain.steps) else chain.reversed()
