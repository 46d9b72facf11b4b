"""An OpenAI endpoint whose next answers a test sets, for many conversations with one daemon. Not a test."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.scripted_model import scripted_model

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
    with scripted_model(lambda _: model.text()) as served:
        model.endpoint, model.sent = served.url, served.requests
        yield model
