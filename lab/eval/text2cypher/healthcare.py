"""Builds the graph of reported side effects from the published CSV files: the first 600 cases. Asks nothing."""

from __future__ import annotations

from pathlib import Path

from lab.eval.text2cypher.fincen import Made, rows
from servers.text2cypher.loading.cursor import Relation
from servers.text2cypher.loading.run import Loaded

REPOSITORY = "neo4j-graph-examples/healthcare-analytics"
FILES = tuple(
    f"data/csv/{name}.csv" for name in "demographics outcome reaction reportSources therapy drugs-indication".split()
)
MOST_CASES = 600
_USE = ("drugSequence", "route", "doseAmount", "doseUnit", "indication")


def healthcare(folder: Path) -> Loaded:
    """Build the graph from the files in `folder`, as the repository's guide does."""
    people, *others = (rows(folder / Path(file).name) for file in FILES)
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
