"""A message as words with their mood and their person. Knows no fields."""
