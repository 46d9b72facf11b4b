"""Offers three hundred tools, the first of them with a description of 100 KB."""

import speak

tools = [{"name": f"tool_{n}", "description": "x", "inputSchema": {"type": "object"}} for n in range(300)]
tools[0]["description"] = "word " * 20_000
speak.serve(
    lambda request: speak.answer(request, speak.text("done")),
    tools_list=lambda request: speak.answer(request, {"tools": tools}),
)
