"""By which property a node is shown and named: what its properties are called, and which of them tell nodes apart."""

from __future__ import annotations

from servers.text2cypher.graph.schema import STRING, GraphSchema
from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.names import parts
from servers.text2cypher.linking.values import Place, ValueIndex


class Naming:
    """Over one graph; pure after construction."""

    def __init__(self, schema: GraphSchema, values: ValueIndex) -> None:
        self._schema, self._values = schema, values

    def display(self, label: str) -> list[str]:
        """The properties a node of this label is shown by, best first; any property where none names it."""
        types = self._schema.nodes.get(label, {})
        words = languages()
        telling = [name for word in (*words.naming, *words.describing) for name in types if _is_called(name, word)]
        telling = list(dict.fromkeys(telling))
        best = [name for name in telling if self._values.identifies(Place(label, name))]
        texts = [name for name, kind in types.items() if kind == STRING and self._values.identifies(Place(label, name))]
        exact = [name for name in telling if name.lower() in (*words.naming, *words.describing)]
        # rather than the `shipName` of an order
        own = [name for name in texts if parts(name) in ([*parts(label), "id"], ["id"])]
        return best or exact or own or telling or texts[:1] or list(types)[:1]

    def tells(self, label: str) -> bool:
        """False where nodes have no name: an order's number says nothing of it."""
        called = (*languages().naming, *languages().describing)
        return any(_is_called(name, word) for name in self.display(label)[:1] for word in called)

    def shares(self, label: str) -> bool:
        """True where several nodes have one name."""
        place = Place(label, next(iter(self.display(label)), ""))
        return self._values.distinct.get(place, 0) < self._values.counts.get(place, 0)

    def names(self, name: str) -> bool:
        """True for a property that is called as names are."""
        return any(_is_called(name, word) for word in languages().naming)


def _is_called(name: str, word: str) -> bool:
    """`companyName` is called name."""
    return name.lower() == word or parts(name)[-1:] == [word]
