"""Speaks a protocol that nobody knows."""

import speak

speak.serve(lambda _: None, version="1999-12-31")
