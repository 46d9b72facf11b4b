"""Answers until it is called; from then on it reads no more and says no more, but lives."""

import signal

import speak

speak.serve(lambda _: signal.pause())
