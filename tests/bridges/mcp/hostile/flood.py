"""Writes lines that aren't MCP, without end, from the first call on."""

import sys

import speak


def flood(_):
    while True:
        sys.stdout.write("y\n" * 1000)


speak.serve(flood)
