"""An OpenAI-compatible endpoint on a free port that answers from a script. Real HTTP, no model. Not a test."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote

from tests.http_server import Handler, serving

Answer = str | tuple[int, str]  # the text, or an HTTP status with a message
Script = Callable[[dict[str, Any]], Answer]
HEAD = {"id": "x", "created": 0, "model": "s"}
USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
MODELS = "/v1/models/"


class ScriptedModel:
    """An endpoint; `requests` holds every body received, `url` ends in /v1."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.url = ""


def in_turn(*answers: Answer) -> Script:
    """The answers one after the other; the last is repeated."""
    left = list(answers)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


def asked(body: dict[str, Any]) -> str:
    """The question's message: the last user turn that isn't feedback."""
    turns = [m["content"] for m in body["messages"] if m["role"] == "user" and not m["content"].startswith("## ")]
    return str(turns[-1])


@contextmanager
def scripted_model(script: Script, constraint: str | None = None) -> Iterator[ScriptedModel]:
    """Serve while the block runs. With `constraint`, the model is described as agentd does; else like any other's."""
    model = ScriptedModel()
    said = {} if constraint is None else {"constraint": constraint}

    class Endpoint(Handler):
        def do_GET(self) -> None:
            name = unquote(self.path.removeprefix(MODELS))
            known = {"id": name, "object": "model", "created": 0, **said}
            self.answer(json.dumps(known), status=200 if self.path.startswith(MODELS) else 404)

        def do_POST(self) -> None:
            body = json.loads(self.body())
            model.requests.append(body)
            answer = script(body)
            if isinstance(answer, tuple):
                status, message = answer
                return self.answer(json.dumps({"error": {"message": message}}), status=status, Retry_After="0")
            if not body.get("stream"):
                return self.answer(json.dumps(_whole(answer)))
            lines = [*map(json.dumps, _pieces(answer)), "[DONE]"]
            return self.answer("".join(f"data: {line}\n\n" for line in lines), "text/event-stream")

    with serving(Endpoint) as url:
        model.url = f"{url}/v1"
        yield model


def _whole(text: str) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    return {**HEAD, "object": "chat.completion", "choices": [choice], "usage": USAGE}


def _pieces(text: str) -> Iterator[dict[str, Any]]:
    head = {**HEAD, "object": "chat.completion.chunk"}
    yield {**head, "choices": [{"index": 0, "finish_reason": "stop", "delta": {"content": text}}]}
    yield {**head, "choices": [], "usage": USAGE}
