"""Returns results that violate the protocol or its own output schema, or so many rows that checking takes long."""

import speak

ROW = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer"}, "rows": {"type": "array", "items": ROW}},
    "required": ["n"],
}


def tools(request):
    listed = [{"name": "do", "inputSchema": {"type": "object"}, "outputSchema": SCHEMA}]
    speak.answer(request, {"tools": listed})


def lie(request):
    given = request["params"]["arguments"]
    rows = [{"id": number} for number in range(given.get("count", 0))]
    results = {
        "schema": {"content": [], "structuredContent": {"n": "many"}},
        "protocol": {"content": "citizen 3171"},
        "rows": {"content": [], "structuredContent": {"n": 1, "rows": [*rows, {"id": given.get("last", 0)}]}},
    }
    speak.answer(request, results[given["how"]])


speak.serve(lie, tools_list=tools)
