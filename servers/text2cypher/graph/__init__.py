"""Graphs: their schema, the folder format, and the engines behind one port. No model, no prompts."""
