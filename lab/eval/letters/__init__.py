"""Scripted conversations between a citizen and agentd, and their results. Independent of the grounding code."""
