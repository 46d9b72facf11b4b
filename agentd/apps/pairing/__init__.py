"""Pairing: a kiosk gets its token by a six-digit code instead of by hand."""
