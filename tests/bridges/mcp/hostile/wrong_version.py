"""Speaks an unknown protocol version."""

import speak

speak.serve(lambda _: None, version="1999-12-31")
