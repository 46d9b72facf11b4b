"""The OpenRPC document says what the table says, and its examples fit its own schemas and methods."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter

from agentd.rpc.method import Method
from agentd.rpc.openrpc import document, examples
from lab.tools import openrpc
from tests.agentd.twins import METHODS

NAMES = """Agent.run Agent.start Agent.get Agent.cancel Agent.approve Agent.list Session.create Session.list
Session.get Session.fork Session.delete Session.export Events.subscribe Tools.list Tools.call Models.list Analytics.ask
Graph.ask Letters.list Session.verify Session.forget Session.vouch Residents.status Residents.visit Request.list
Request.get Request.cancel Request.check Request.compare Request.hand_over Correction.list Correction.resolve
Config.reload System.health rpc.discover""".split()


@cache
def served() -> dict[str, Any]:
    """The document, made by the first test that reads it, because every worker imports this file."""
    return document(METHODS)


def described(name: str) -> dict[str, Any]:
    return next(method for method in served()["methods"] if method["name"] == name)


def test_every_method_of_the_design_is_there_and_no_other() -> None:
    assert [method.name for method in METHODS] == NAMES
    assert served()["openrpc"] == "1.2.6"


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_parameters_are_told_in_their_order_with_what_is_required(method: Method) -> None:
    told = described(method.name)["params"]
    assert [one["name"] for one in told] == list(method.params.model_fields)
    needed = [name for name, field in method.params.model_fields.items() if field.is_required()]
    assert [one["name"] for one in told if one["required"]] == needed


@pytest.mark.parametrize(
    ("method", "example"),
    [
        pytest.param(method, example, id=f"{method.name}-{number}")
        for method in METHODS
        for number, example in enumerate(examples(method))
    ],
)
def test_an_example_is_accepted_and_its_result_fits_the_schema(method: Method, example: Any) -> None:
    method.params.model_validate(example["params"])
    schema = described(method.name)["result"]["schema"]
    Draft202012Validator({**schema, "components": served()["components"]}).validate(example["result"])
    TypeAdapter(method.result).validate_python(example["result"], strict=False)


def test_every_reference_has_its_schema() -> None:
    found: set[str] = set()

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            if "$ref" in value:
                found.add(value["$ref"])
            for inner in value.values():
                walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)

    walk(served())
    parts = served()["components"]
    assert found == {f"#/components/{kind}/{name}" for kind in ("schemas", "errors") for name in parts[kind]}


def test_the_published_document_is_the_one_that_is_served() -> None:
    assert json.loads(openrpc.render()) == json.loads(json.dumps(served()))


def test_a_field_is_described_by_what_stands_below_it_in_the_code() -> None:
    fields = served()["components"]["schemas"]["GraphAnswer"]["properties"]
    assert fields["confidence"]["description"] == "0 to 1; below 0.75 the answer is uncertain and says so."
