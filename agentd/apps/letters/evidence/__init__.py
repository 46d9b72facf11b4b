"""What a citizen's own words prove, in pure functions; one capability a file. Nothing here calls a tool or a model."""
