"""By which property a node is shown and named: what its properties are called, and which of them tell nodes apart."""

from __future__ import annotations

from statistics import median

from servers.text2cypher.graph.schema import STRING, GraphSchema
from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.names import parts
from servers.text2cypher.linking.values import Place, ValueIndex

MOST_WORDS = 6
"""A longer title, as that of a question or a paper, is a part of what a node says, not what it is called."""
_SAMPLE = 200


class Naming:
    """Over one graph; pure after construction."""

    def __init__(self, schema: GraphSchema, values: ValueIndex) -> None:
        self._schema, self._values = schema, values

    def display(self, label: str) -> list[str]:
        """The properties a node of this label is shown by, best first; any property where none names it."""
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

    def tells(self, label: str) -> bool:
        """False where nodes have no name: an order's number says nothing of it, and a sentence is what it is about."""
        for name in self.display(label)[:1]:
            if self.names(name):
                told = self._values.sample(Place(label, name), _SAMPLE)
                return median([len(text.split()) for text in told] or [1]) <= MOST_WORDS
            return any(is_called(name, word) for word in languages().describing)
        return False

    def is_known_by_key(self, label: str) -> bool:
        """True where something else than its name tells a node from others: a number, a code."""
        shown = self.display(label)[:1]
        return any(is_key(name) for name in self._schema.nodes.get(label, {}) if name not in shown)

    def shares(self, label: str) -> bool:
        """True where several nodes have one name."""
        place = Place(label, next(iter(self.display(label)), ""))
        return self._values.distinct.get(place, 0) < self._values.counts.get(place, 0)

    def names(self, name: str) -> bool:
        """True for a property that is called as names are."""
        return any(is_called(name, word) for word in languages().naming)


def is_called(name: str, word: str) -> bool:
    """`companyName` is called name."""
    return name.lower() == word or parts(name)[-1:] == [word]


def is_key(name: str) -> bool:
    """`customerID`: it says which one, and nothing of it."""
    return parts(name)[-1] in languages().keys
