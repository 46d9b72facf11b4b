"""Sends notifications that no version of MCP knows, as many as it is asked for, and then its answer."""

import speak


def sloppy(request):
    for _ in range(request["params"]["arguments"]["times"]):
        speak.write('{"jsonrpc":"2.0","method":"notifications/progress","params":{"percent":1}}')
    speak.answer(request, speak.text("done"))


speak.serve(sloppy)
