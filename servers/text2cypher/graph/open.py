"""Chooses the engine: Neo4j if NEO4J_URI is set and no folder is given, else the embedded one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from servers.common.credentials import credential
from servers.text2cypher.graph.backend import GraphBackend
from servers.text2cypher.graph.embedded import EmbeddedBackend
from servers.text2cypher.graph.folder import CURRICULUM
from servers.text2cypher.graph.neo4j_backend import Neo4jBackend


def open_backend(folder: Path | None, env: Mapping[str, str]) -> GraphBackend:
    """For `folder` None it uses TEXT2CYPHER_GRAPH, NEO4J_URI or the shipped curriculum, in this order.

    NEO4J_URI, NEO4J_USER (or NEO4J_USERNAME) and NEO4J_PASSWORD specify a database; a folder is run by the embedded
    engine. Raises GraphFileError.
    """
    chosen = folder or (Path(env["TEXT2CYPHER_GRAPH"]) if env.get("TEXT2CYPHER_GRAPH") else None)
    if chosen is None and env.get("NEO4J_URI"):
        user = env.get("NEO4J_USER") or env.get("NEO4J_USERNAME") or "neo4j"
        password = env.get("NEO4J_PASSWORD") or credential("neo4j_password", env) or ""
        return Neo4jBackend.connect(env["NEO4J_URI"], user, password)
    return EmbeddedBackend(chosen or CURRICULUM)
