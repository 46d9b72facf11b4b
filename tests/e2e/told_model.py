"""An OpenAI endpoint whose next answers a test sets, for many conversations with one daemon. Not a test."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.http_server import Handler, serving

DONE = {"action": "final", "response": "Baik."}
PROVIDER = """\
default_provider = "told"
prompt_template = "Layani warga. {{{{custom_instruction}}}} {{{{language_guidance}}}} {{{{tool_guidance}}}}"
[[providers]]
id = "told"
type = "openai"
endpoint = "{endpoint}"
models = ["told"]

"""


class ToldModel:
    """A model that gives its queued answers, then a plain final one each time; `sent` records the requests."""

    def __init__(self) -> None:
        self.answers: list[dict[str, Any]] = []
        self.sent: list[dict[str, Any]] = []
        self.endpoint = ""

    def config(self) -> str:
        """The head of a client.toml with this as the only model."""
        return PROVIDER.format(endpoint=self.endpoint)

    def text(self) -> str:
        """The next answer."""
        return json.dumps(self.answers.pop(0) if self.answers else DONE, ensure_ascii=False)


@contextmanager
def told_model() -> Iterator[ToldModel]:
    """Serve the endpoint while the block runs."""
    model = ToldModel()

    class Endpoint(Handler):
        def do_POST(self) -> None:
            body = json.loads(self.body())
            model.sent.append(body)
            head = {"id": "c-1", "created": 1, "model": "told"}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            choice = {"index": 0, "finish_reason": "stop"}
            if not body.get("stream"):
                message = {"role": "assistant", "content": model.text()}
                answer = {**head, "object": "chat.completion", "choices": [{**choice, "message": message}]}
                return self.answer(json.dumps({**answer, "usage": usage}))
            kind = {**head, "object": "chat.completion.chunk"}
            pieces = [
                {**kind, "choices": [{**choice, "delta": {"content": model.text()}}]},
                {**kind, "choices": [], "usage": usage},
            ]
            lines = [*(json.dumps(piece) for piece in pieces), "[DONE]"]
            return self.answer("".join(f"data: {line}\n\n" for line in lines), "text/event-stream")

    with serving(Endpoint) as model.endpoint:
        yield model
