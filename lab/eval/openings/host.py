"""A model without weights behind the OpenAI API: a function of the request determines its text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from bridges.llamacpp.constraint import only_text
from tests import http_server
from tests.http_server import Handler

CHOICE = "(a model's to answer)"
"""The answer where the model has a choice."""


def left_no_choice(asked: dict[str, Any]) -> str:
    """The only text the request's schema allows, else `CHOICE`."""
    schema = asked["response_format"]["json_schema"]["schema"]
    return only_text(schema) or json.dumps({"action": "final", "response": CHOICE})


@contextmanager
def serving(writes: Callable[[dict[str, Any]], str] = left_no_choice) -> Iterator[str]:
    """Serve the model and yield its endpoint."""

    class Endpoint(Handler):
        def do_POST(self) -> None:
            asked = json.loads(self.body())
            made = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": asked["model"]}
            said = {**made, "choices": [{"index": 0, "delta": {"content": writes(asked)}, "finish_reason": None}]}
            end = {**made, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
            lines = (json.dumps(said), json.dumps(end), "[DONE]")
            self.answer("".join(f"data: {line}\n\n" for line in lines), "text/event-stream")

    with http_server.serving(Endpoint) as url:
        yield f"{url}/v1"
