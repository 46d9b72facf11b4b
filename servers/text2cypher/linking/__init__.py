"""Links a question's words to the graph: stored values, labels, properties, relationships, what is asked. No model."""
