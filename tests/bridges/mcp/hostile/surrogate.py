"""Answers with half a surrogate pair and with numbers that JSON does not have."""

import speak


def answer(request):
    number = request["id"]
    body = '{"content":[],"structuredContent":{"half":"a\\ud800b","nan":NaN,"much":-Infinity}}'
    speak.write(f'{{"jsonrpc":"2.0","id":{number},"result":{body}}}')


speak.serve(answer)
