"""The properties by which nodes are shown and named, from property names and from which ones identify nodes."""

from __future__ import annotations

from functools import cache
from statistics import median

from servers.text2cypher.graph.schema import STRING, GraphSchema
from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.names import parts, roots
from servers.text2cypher.linking.values import Place, ValueIndex

MOST_WORDS = 6
"""Titles with more words (questions, papers) are content rather than names."""
_SAMPLE = 200


class Naming:
    """Naming in one graph; pure after construction."""

    def __init__(self, schema: GraphSchema, values: ValueIndex) -> None:
        self._schema, self._values = schema, values
        self.display = cache(self._display)  # asked for every reading
        self.tells = cache(self._tells)

    def _display(self, label: str) -> list[str]:
        """The properties by which a node of this label is shown, best first; any property if none names it."""
        types = self._schema.nodes.get(label, {})
        words = languages()
        telling = [name for word in (*words.naming, *words.describing) for name in types if is_called(name, word)]
        telling = list(dict.fromkeys(telling))
        best = [name for name in telling if self._values.identifies(Place(label, name))]
        texts = [name for name, kind in types.items() if kind == STRING and self._values.identifies(Place(label, name))]
        exact = [name for name in telling if name.lower() in (*words.naming, *words.describing)]
        # rather than the `shipName` of an order
        own = [name for name in texts if parts(name) in ([*parts(label), "id"], ["id"])]
        return best or exact or own or telling or texts[:1] or list(types)[:1]

    def others_of(self, label: str) -> list[str]:
        """The properties that don't show nodes of this label and don't identify them, such as a named Rack's `rack`,
        or are called like the label: an Address's `address` beside its name."""
        shown = self.display(label)[:1]
        return [
            name
            for name in self._schema.nodes[label]
            if name not in shown and (roots(name) == roots(label) or not self._values.identifies(Place(label, name)))
        ]

    def _tells(self, label: str) -> bool:
        """False if nodes have no name: an order's number isn't one, nor is a sentence."""
        for name in self.display(label)[:1]:
            if self.names(name):
                told = self._values.sample(Place(label, name), _SAMPLE)
                return median([len(text.split()) for text in told] or [1]) <= MOST_WORDS
            return any(is_called(name, word) for word in languages().describing)
        return False

    def is_short(self, label: str) -> bool:
        """True for a bare `name` beside another one: a `screen_name`, or an Address's `address`."""
        texts = [name for name, kind in self._schema.nodes[label].items() if kind == STRING]
        names = sum(self.names(name) or roots(name) == roots(label) for name in texts)
        return names > 1 and any(len(parts(name)) == 1 and self.names(name) for name in self.display(label)[:1])

    def is_known_by_key(self, label: str) -> bool:
        """True if something other than its name, e.g. a number or code, identifies a node."""
        shown = self.display(label)[:1]
        return any(is_key(name) for name in self._schema.nodes.get(label, {}) if name not in shown)

    def shares(self, label: str) -> bool:
        """True if several nodes share a name."""
        place = Place(label, next(iter(self.display(label)), ""))
        return self._values.distinct.get(place, 0) < self._values.counts.get(place, 0)

    def names(self, name: str) -> bool:
        """True if the property is called like a name."""
        return any(is_called(name, word) for word in languages().naming)


def is_called(name: str, word: str) -> bool:
    """True if the name is the word or ends with it: `companyName` for `name`."""
    return name.lower() == word or parts(name)[-1:] == [word]


def is_key(name: str) -> bool:
    """True if the property is an identifier such as `customerID`."""
    return parts(name)[-1] in languages().keys
