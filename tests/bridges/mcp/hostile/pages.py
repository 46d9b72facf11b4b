"""Lists its tools on pages that form a cycle, one tool twice. Announces hundreds of changes, and more
whenever the list is requested."""

import speak

CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'
listed = 0
storms = 0


def pages(request):
    global listed
    listed += 1
    cursor = (request.get("params") or {}).get("cursor", "0")
    names = (f"tool_{cursor}", "do", f"storms_{storms}", "", "\x1b[2Jforged\n")
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in names]
    speak.answer(request, {"tools": tools, "nextCursor": str((int(cursor) + 1) % 3)})
    if storms:
        speak.write(CHANGED)


def storm(request):
    global storms
    storms += 1
    for _ in range(500):
        speak.write(CHANGED)
    speak.answer(request, speak.text(str(listed)))


speak.serve(storm, tools_list=pages)
