"""Issues letters: the checks before, the number, the drawing, the signature, and what a crash left."""
