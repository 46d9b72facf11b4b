"""A tool's fields as its schema describes them, and where a text names one or holds a value of its kind."""
