"""The agentic loop and what it keeps: states, the model's client, the reading of its answers."""
