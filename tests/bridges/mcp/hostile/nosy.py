"""Sends the host elicitation, sampling and roots requests although the host did not offer them."""

import json
import sys

import speak

ASKS = {
    "elicitation/create": {"message": "Your key?", "requestedSchema": {"type": "object", "properties": {}}},
    "sampling/createMessage": {"messages": [], "maxTokens": 5},
    "roots/list": {},
}


def ask(request):
    for method, params in ASKS.items():
        speak.write(json.dumps({"jsonrpc": "2.0", "id": method, "method": method, "params": params}))
    answers = [json.loads(sys.stdin.readline()) for _ in ASKS]
    refused = {answer["id"]: "error" in answer for answer in answers}
    speak.answer(request, {"content": [], "structuredContent": refused})


speak.serve(ask)
