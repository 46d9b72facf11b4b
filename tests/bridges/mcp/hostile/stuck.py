"""Answers until its tool is called; then it neither reads nor answers, but keeps running."""

import signal

import speak

speak.serve(lambda _: signal.pause())
