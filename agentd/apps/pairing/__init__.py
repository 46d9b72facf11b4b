"""Kiosks that get a token by six digits instead of by hand."""
