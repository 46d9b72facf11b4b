"""Writes a message that never ends, from the first call on."""

import sys

import speak


def endless(_):
    while True:
        sys.stdout.write("[" * 65536)


speak.serve(endless)
