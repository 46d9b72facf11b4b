"""Stops reading its standard input once its tools are listed, and then floods stderr."""

import sys
import time

import speak


def list_and_close_ears(request):
    speak.answer(request, {"tools": [{"name": "do", "inputSchema": {"type": "object"}}]})
    time.sleep(3600)


sys.stderr.write("x" * 1_000_000)
speak.serve(lambda _: None, tools_list=list_and_close_ears)
