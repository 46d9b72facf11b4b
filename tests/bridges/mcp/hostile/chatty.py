"""Reports its progress in messages of a megabyte, negative and infinite numbers."""

import json

import speak


def do(request):
    token = request["params"]["_meta"]["progressToken"]
    for progress in (-1, 5, 1e308):
        note = {"progressToken": token, "progress": progress, "message": "x" * 900_000 + "\nsecond line"}
        speak.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/progress", "params": note}))
    speak.answer(request, speak.text("done"))


speak.serve(do)
