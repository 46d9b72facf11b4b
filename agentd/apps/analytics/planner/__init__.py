"""Asks a model for a plan: the prompt, the schema it is held to, and the reading of what it wrote."""
