"""A plan as the workflow carries it, and what follows from its queries alone."""
