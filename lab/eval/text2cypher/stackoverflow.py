"""Builds the graph of questions about Neo4j from the CSV files published for its importer. Asks nothing."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from servers.text2cypher.loading.cursor import Node, Relation
from servers.text2cypher.loading.run import Loaded

REPOSITORY = "neo4j-graph-examples/stackoverflow"
FILES = ("data/stackoverflow-data-importer.zip",)
GONE = "deleted"
"""Replaces a person's number when the account was deleted."""
_TEXTS = {"name", "title", "link", "body_markdown", "display_name"}


def stackoverflow(folder: Path) -> Loaded:
    """Build the graph from the file in `folder`."""
    graph = Loaded(folder)
    nodes: dict[tuple[str, str], Node] = {}
    with ZipFile(folder / Path(FILES[0]).name) as held:
        for file in sorted(held.namelist()):  # nodes come before relationships
            kind, rows = file.split(".")[-2], _rows(held, file)
            for row in rows if ".nodes." in file else ():
                (column, key), *rest = row.items()
                told = {name: _value(name, text) for name, text in rest if text not in ("", GONE)}
                nodes[column, key] = Node(len(nodes), (kind,), told)
            for row in rows if ".relationships." in file else ():
                start, end = (nodes[place] for place in row.items())
                graph.relations.append(Relation(kind, start, end))
    graph.nodes.extend(nodes.values())
    return graph


def _rows(held: ZipFile, file: str) -> Iterator[dict[str, str]]:
    return csv.DictReader(io.StringIO(held.read(file).decode("utf-8-sig"), newline=""))


def _value(name: str, text: str) -> Any:
    """Convert to text, boolean or integer."""
    if name in _TEXTS:
        return text
    return text == "true" if text in ("true", "false") else int(text)
