"""Builds the graphs that are published as CSV or JSON files, not as a script. Asks nothing.

Map points are left out, because a graph folder can't hold them; dates are kept as text.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from servers.text2cypher.loading.cursor import Node, Relation
from servers.text2cypher.loading.run import Loaded

FINCEN = ("sar-data.json", "sar-details.json", "countries.json")
HEALTHCARE = ("demographics", "outcome", "reaction", "reportSources", "therapy", "drugs-indication")
MOST_CASES = 600
_USE = ("drugSequence", "route", "doseAmount", "doseUnit", "indication")
"""The properties of a case's use of a drug."""


def fincen(folder: Path) -> Loaded:
    """The FinCEN files: filings, banks, countries."""
    filings, details, countries = (json.loads((folder / file).read_text(encoding="utf-8")) for file in FINCEN)
    made = Made(Loaded(folder))
    for held in countries:
        made.node("Country", "code", held["iso3"], name=held["name"], tld=held["iso2"])
    for held in filings:
        held["sar_id"] = held.pop("icij_sar_id")
        made.node("Filing", "id", held.pop("id"), **held, begin=held["begin_date_format"], end=held["end_date_format"])
    by_sar: dict[str, list[Node]] = {}
    for filing in made.held("Filing"):
        by_sar.setdefault(filing.properties["sar_id"], []).append(filing)
    for held in details:
        country = made.node("Country", "code", held["entity_b_iso_code"])
        filer = made.node("Entity", "id", held["filer_org_name_id"], name=held["filer_org_name"])
        other = made.node(
            "Entity", "id", held["entity_b_id"], name=held["entity_b"], country=country.properties["code"]
        )
        for filing in by_sar.get(held["icij_sar_id"], []):
            made.join(filer, "FILED", filing)
            made.join(filing, "CONCERNS", other)
        made.join(other, "COUNTRY", country)
    for filing in made.held("Filing"):
        told = filing.properties
        made.join(made.node("Entity", "id", told["filer_org_name_id"], name=told["filer_org_name"]), "FILED", filing)
        for role, kind in (("beneficiary", "BENEFITS"), ("originator", "ORIGINATOR")):
            bank = made.node("Entity", "id", told[f"{role}_bank_id"], name=told[f"{role}_bank"])
            made.join(bank, "COUNTRY", made.node("Country", "code", told[f"{role}_iso"]))
            made.join(filing, kind, bank)
    return made.graph


def grandstack(folder: Path) -> Loaded:
    """Businesses and reviews, which seed GRANDstack's starter kit."""
    made = Made(Loaded(folder))
    for row in rows(folder / "grandstack_businesses.csv"):
        user = made.node("User", "userId", row["userId"], name=row["userName"])
        places = {name: row[f"business{name.capitalize()}"] for name in ("name", "city", "state", "address")}
        business = made.node("Business", "businessId", row["businessId"], **places)
        told = {"text": row["reviewText"], "date": row["reviewDate"], "stars": float(row["reviewStars"])}
        review = made.node("Review", "reviewId", row["reviewId"], **told)
        made.join(user, "WROTE", review)
        made.join(review, "REVIEWS", business)
        for name in row["categories"].split(","):
            made.join(business, "IN_CATEGORY", made.node("Category", "name", name))
    return made.graph


def healthcare(folder: Path) -> Loaded:
    """Reported side effects: the first MOST_CASES cases, built as the repository's guide does."""
    people, *others = (rows(folder / f"{name}.csv") for name in HEALTHCARE)
    made = Made(Loaded(folder))
    cases = {row["primaryid"]: row for row in people[:MOST_CASES]}
    ends, effects, sources, therapies, drugs = ([row for row in held if row["primaryid"] in cases] for held in others)
    nodes = {}
    for key, row in cases.items():
        told = {name: row[name] for name in ("eventDate", "reportDate", "ageUnit", "reporterOccupation")}
        known = {"primaryid": int(key), "age": float(row["age"]), "gender": row["sex"]}
        case = nodes[key] = made.node("Case", "primaryid", key, **told, **known)
        made.join(made.node("Manufacturer", "manufacturerName", row["manufacturerName"]), "REGISTERED", case)
        made.join(case, "FALLS_UNDER", made.node("AgeGroup", "ageGroup", row["ageGroup"]))
    for row in ends:
        end = made.node("Outcome", "code", row["code"], outcome=row["outcome"])
        made.join(nodes[row["primaryid"]], "RESULTED_IN", end)
    for row in effects:
        made.join(nodes[row["primaryid"]], "HAS_REACTION", made.node("Reaction", "description", row["description"]))
    for row in sources:
        source = made.node("ReportSource", "code", row["code"], name=row["name"])
        made.join(nodes[row["primaryid"]], "REPORTED_BY", source)
    for row in drugs:
        drug = made.node("Drug", "name", row["name"], primarySubstabce=row["primarySubstabce"])
        kind = "IS_" + row["role"].upper().replace(" ", "_")
        made.graph.relations.append(Relation(kind, nodes[row["primaryid"]], drug, {name: row[name] for name in _USE}))
    for row in therapies:
        therapy = made.node("Therapy", "primaryid", row["primaryid"])
        made.join(nodes[row["primaryid"]], "RECEIVED", therapy)
        years = {name: row[name] for name in ("drugSequence", "startYear", "endYear")}
        drug = made.node("Drug", "name", row["drugName"])
        made.graph.relations.append(Relation("PRESCRIBED", therapy, drug, years))
    return made.graph


def rows(file: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    csv.field_size_limit(1 << 30)
    with file.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


class Made:
    """Builds a graph with each node once per key and each relationship once."""

    def __init__(self, graph: Loaded) -> None:
        self.graph = graph
        self._nodes: dict[tuple[str, str], Node] = {}
        self._joined: set[tuple[int, str, int]] = set()

    def node(self, label: str, key: str, value: str, **properties: Any) -> Node:
        """Get or create the node with this key; `properties` apply to a new node, None values are omitted."""
        told = {key: value} | {name: held for name, held in properties.items() if held is not None}
        place = (label, value)
        if place not in self._nodes:
            self._nodes[place] = Node(len(self._nodes), (label,), told)
            self.graph.nodes.append(self._nodes[place])
        return self._nodes[place]

    def held(self, label: str) -> list[Node]:
        """All nodes with this label."""
        return [node for (name, _), node in self._nodes.items() if name == label]

    def join(self, start: Node, kind: str, end: Node) -> None:
        """Add the relationship unless it exists."""
        if (place := (start.number, kind, end.number)) not in self._joined:
            self._joined.add(place)
            self.graph.relations.append(Relation(kind, start, end))
