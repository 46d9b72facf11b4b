"""Writes extra text to its standard output between valid messages, as careless servers do."""

import speak

speak.write("Server running on stdio")


def chat_and_answer(request):
    for number in range(50):
        speak.write(f"DEBUG filing {request['params']['arguments']} {number}")
    speak.write('{"level": "info", "message": "not a JSON-RPC message"}')
    speak.write("\udcff".encode("utf-8", "surrogateescape").decode("latin-1"))
    speak.answer(request, speak.text("done"))


speak.serve(chat_and_answer)
