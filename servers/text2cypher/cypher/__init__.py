"""Cypher as text: tokens, the read-only guard, the structure of patterns and rewrites. Runs nothing, knows no graph."""
