"""Ends at a first message other than `initialize`, as servers of some toolkits do. Logs the requests."""

import json
import os
import sys
from pathlib import Path

import speak

first = sys.stdin.readline()
with Path(os.environ["DIARY"]).open("a") as diary:
    diary.write(json.loads(first)["method"] + "\n")
request = json.loads(first)
if request["method"] != "initialize":
    sys.exit("expected initialize")
about = {"protocolVersion": "2024-11-05", "capabilities": {}, "serverInfo": {"name": "old", "version": "1"}}
speak.answer(request, about)
speak.serve(lambda request: speak.answer(request, speak.text("done")))
