"""Answers with the requested number of bytes, with the id first or last in the message, while other calls continue."""

import json
import sys

import speak


def giant(request):
    given = request["params"]["arguments"]
    filler = "a" * given["bytes"]
    result = json.dumps(speak.text(filler))
    head, tail = f'{{"jsonrpc":"2.0","id":{request["id"]},"result":{result}}}', ""
    if given.get("id") == "last":
        head, tail = f'{{"result":{result},"jsonrpc":"2.0",', f'"id":{request["id"]}}}'
    if given.get("id") == "hidden":
        head, tail = f'{{"result":{result},"id":{request["id"]},"more":1,', '"jsonrpc":"2.0"}'
    sys.stdout.write(head + tail + "\n")
    sys.stdout.flush()


speak.serve(giant)
