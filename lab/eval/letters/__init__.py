"""Scripted conversations between a citizen and agentd, and what became of them. Knows nothing of grounding."""
