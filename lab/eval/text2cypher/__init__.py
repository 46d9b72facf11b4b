"""Questions by other hands over other graphs: how often text2cypher is right, and whether it knows it."""
