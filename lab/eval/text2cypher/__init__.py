"""Questions by other authors over other graphs: how often text2cypher is right, and whether its confidence shows it."""
