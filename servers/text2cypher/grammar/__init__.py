"""Grammars that keep a model inside the schema, or inside what a question can mean. Text; runs nothing."""
