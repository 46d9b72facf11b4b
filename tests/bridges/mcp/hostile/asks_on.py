"""Never ends asking for a sampling during a call; by MODE it reads the answers, or not."""

import json
import os
import sys
from itertools import count

import speak

PARAMS = {"messages": [{"role": "user", "content": {"type": "text", "text": "x" * 500}}], "maxTokens": 5}


def ask(_):
    for number in count():
        speak.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": "sampling/createMessage", "params": PARAMS}))
        if os.environ["MODE"] == "reads":
            sys.stdin.readline()


speak.serve(ask)
