"""Gives results that break the protocol, or its own output schema."""

import speak


def tools(request):
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    listed = [{"name": "do", "inputSchema": {"type": "object"}, "outputSchema": schema}]
    speak.answer(request, {"tools": listed})


def lie(request):
    how = request["params"]["arguments"]["how"]
    results = {"schema": {"content": [], "structuredContent": {"n": "many"}}, "protocol": {"content": "citizen 3171"}}
    speak.answer(request, results[how])


speak.serve(lie, tools_list=tools)
