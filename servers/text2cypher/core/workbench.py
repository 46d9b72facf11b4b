"""Everything that the loop needs for one graph, created once: validators, linker, readings, examples, feedback."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

from servers.text2cypher.cypher.structure import parse
from servers.text2cypher.cypher.tokens import named, quote
from servers.text2cypher.data import Example
from servers.text2cypher.feedback import FeedbackBuilder
from servers.text2cypher.grammar.composed import Composer
from servers.text2cypher.grammar.readings import Reader
from servers.text2cypher.grammar.schema_grammar import Said, schema_grammar
from servers.text2cypher.grammar.variables import variables_of
from servers.text2cypher.graph.backend import GraphBackend, QueryError
from servers.text2cypher.graph.schema import LISTS, STRING, GraphSchema
from servers.text2cypher.linking.amounts import numbers_in
from servers.text2cypher.linking.describe import describe
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.language import QUOTED, languages
from servers.text2cypher.linking.lexicon import Lexicon, load_lexicon
from servers.text2cypher.linking.naming import Naming
from servers.text2cypher.linking.nearby import nearby
from servers.text2cypher.linking.profile import moments_of, said_of
from servers.text2cypher.linking.values import ValueIndex, folded
from servers.text2cypher.prompts import PromptManager
from servers.text2cypher.prompts.generated import generated
from servers.text2cypher.prompts.similar import SimilarExamples
from servers.text2cypher.validators import ValidationPipeline


@dataclass(frozen=True)
class Workbench:
    """`folder`: the graph's folder, if it has one; its own lexicon.json is used."""

    backend: GraphBackend
    all_examples: Sequence[Example]
    folder: Path | None = None

    @cached_property
    def pipeline(self) -> ValidationPipeline:
        """The validators."""
        return ValidationPipeline(self.backend)

    @cached_property
    def prompts(self) -> PromptManager:
        """The templates with the live schema."""
        return PromptManager(self.backend.schema)

    @cached_property
    def examples(self) -> list[Example]:
        """The examples that fit this graph's schema; if none do, some generated from the graph."""
        if self._fitting:
            return self._fitting
        return generated(self.backend, Naming(self.backend.schema, self.values), self.values)

    @cached_property
    def _fitting(self) -> list[Example]:
        return [example for example in self.all_examples if _fits(example.cypher, self.backend.schema)]

    def picked(self, hints: Hints, count: int) -> list[Example]:
        """The most similar examples; of generated ones preferably those about the relationships it links."""
        about = [] if self._fitting else [*hints.relations, *hints.related, *hints.labels]
        return self.similar.pick(hints.masked, count, about)

    @cached_property
    def values(self) -> ValueIndex:
        """The stored values."""
        return ValueIndex.of(self.backend, self._lexicon.values)

    def may_hold(self, name: str) -> bool:
        """False if no stored text, also in relationships and lists, contains one of the names joined in `name`.

        True for a graph that can't be queried in time.
        """
        joins = self.linker.wording.compiled(r"\s+‹joins›\s+")
        try:
            return any(self._says(folded(one)) for one in joins.split(name))
        except QueryError:  # too slow for a graph of this size
            return True

    def _says(self, text: str) -> bool:
        held = self.backend.schema
        owners = [(f"(n:{named(label)})", types) for label, types in held.nodes.items()]
        owners += [(f"()-[n:{named(kind)}]->()", types) for kind, types in held.relationship_properties.items()]
        said = quote(text.replace(".", ""))
        for owner, types in owners:
            for name, kind in types.items():
                one = f"n.{named(name)}"
                parts = {STRING: f"[{one}]", LISTS[STRING]: one}
                test = f"any(x IN {parts.get(kind)} WHERE replace(toLower(x), '.', '') CONTAINS {said})"  # `P.O. Box`
                if kind in parts and self.backend.run(f"MATCH {owner} WHERE {test} RETURN 1 LIMIT 1").rows:
                    return True
        return False

    @cached_property
    def _lexicon(self) -> Lexicon:
        return load_lexicon(self.backend.schema, self.folder)

    @cached_property
    def linker(self) -> Linker:
        """Links words to the graph."""
        moments = moments_of(self.backend)
        said = tuple(said_of(self.backend, self.values, moments))
        timed = frozenset(name for _, name in said)
        lexicon = replace(self._lexicon, also=(*self._lexicon.also, *said), timed=timed, moments=moments)
        return Linker(self.backend.schema, lexicon, self.values)

    @cached_property
    def reader(self) -> Reader:
        """Converts hints to readings."""
        return Reader(self.linker, variables_of(self.backend.schema, [e.cypher for e in self.examples]))

    @cached_property
    def composer(self) -> Composer:
        """Converts hints to readings for questions about any graph."""
        return Composer(self.linker)

    @cached_property
    def feedback(self) -> FeedbackBuilder:
        """Converts errors to words."""
        return FeedbackBuilder(self.backend, self.values)

    @cached_property
    def similar(self) -> SimilarExamples:
        """Picks examples by similarity."""
        return SimilarExamples(self.examples, lambda question: self.linker.link(question).masked)

    @cached_property
    def described(self) -> Callable[[str], str]:
        """The hints for an example's question as a line; remembered, because examples are the graph's own."""
        return cache(lambda question: describe(self.linker.link(question)))

    def schema_grammar(self, *, thinking: bool, hints: Hints | None = None) -> str:
        """The grammar of the schema; with hints, restricted to the texts, numbers and relationships they name.

        The texts of properties with few values are allowed, too.
        """
        queries = [example.cypher for example in self.examples]
        said = Said(languages().voice_of(hints.question if hints is not None else "").answers["figure"])
        if hints is not None:
            texts = [held.value for held in hints.mentions]
            texts += [value for held in hints.filters for value in held.values if isinstance(value, str)]
            texts += self.values.choices
            texts += [text for text in re.findall(QUOTED, hints.question) if text.strip()]
            numbers = numbers_in(hints.question, self.linker.lexicon) | {0, 1}
            kinds = [kind for kind in hints.relations if kind in self._plain]
            said = replace(said, texts=texts, numbers=numbers, kinds=kinds)
        return schema_grammar(nearby(self.backend.schema, hints), queries, said, thinking=thinking)

    @cached_property
    def _plain(self) -> set[str]:
        """The relationships whose words don't also name a label or property, as `orders` may."""
        lexicon = self.linker.lexicon
        others = {*lexicon.labels, *lexicon.properties}
        return set(self.backend.schema.relationships) - {
            kind for phrase, kind in lexicon.relationships.items() if phrase in others
        }


def _fits(query: str, schema: GraphSchema) -> bool:
    structure = parse(query)
    return structure.labels <= set(schema.labels) and set(structure.types) <= set(schema.relationships)
