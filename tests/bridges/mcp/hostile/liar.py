"""Returns results that violate the protocol or its own output schema, or that take long to check by it."""

import speak

ROW = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
EXPRESSION = {"$schema": "http://json-schema.org/draft-07/schema#", "type": "string", "pattern": "^(a+)+$"}
DOUBLED = {f"of_{step}": {"anyOf": 2 * [{"$ref": f"#/$defs/of_{step + 1}"}]} for step in range(40)}
SCHEMA = {
    "type": "object",
    "properties": {
        "n": {"type": "integer"},
        "rows": {"type": "array", "items": ROW},
        "text": EXPRESSION,
        "doubled": {"$ref": "#/$defs/of_0"},
    },
    "required": ["n"],
    "$defs": {**DOUBLED, "of_40": {"type": "integer"}},
}


def tools(request):
    listed = [{"name": "do", "inputSchema": {"type": "object"}, "outputSchema": SCHEMA}]
    fields = {f"field_{number}": {"type": "string"} for number in range(20_000)}
    listed.append({"name": "bulky", "inputSchema": {"type": "object", "properties": fields}})
    speak.answer(request, {"tools": listed})


def lie(request):
    given = request["params"]["arguments"]
    rows = [{"id": number} for number in range(given.get("count", 0))]
    results = {
        "schema": {"content": [], "structuredContent": {"n": "many"}},
        "expression": {"content": [], "structuredContent": {"n": 1, "text": "a" * 40 + "!"}},
        "references": {"content": [], "structuredContent": {"n": 1, "doubled": "text"}},
        "protocol": {"content": "citizen 3171"},
        "rows": {"content": [], "structuredContent": {"n": 1, "rows": [*rows, {"id": given.get("last", 0)}]}},
    }
    speak.answer(request, results[given["how"]])


speak.serve(lie, tools_list=tools)
