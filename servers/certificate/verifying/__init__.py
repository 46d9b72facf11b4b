"""Whether a letter is genuine, by its code or its file."""
