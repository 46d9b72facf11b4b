"""Builds the OpenRPC 1.2.6 document from the table of methods. Everything in it comes from the table."""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from typing import Any, cast, get_args

from pydantic import BaseModel, TypeAdapter

from agentd.errors import AgentdError, Forbidden, InvalidParams, RateLimited
from agentd.messages import Caller
from agentd.rpc.method import ANYONE, Method, Services, method
from agentd.rpc.params import NoParams

_ANY_METHOD: tuple[type[AgentdError], ...] = (InvalidParams, Forbidden, RateLimited)
_REF = "#/components/schemas/{model}"


def discover(methods: Sequence[Method]) -> Method:
    """The method `rpc.discover` over these methods and itself."""

    @method("rpc.discover", result=dict[str, Any], scopes=ANYONE)
    def own(_services: Services, _caller: Caller, _params: NoParams) -> dict[str, Any]:
        """The OpenRPC 1.2.6 document: every method with its parameters, results, errors and examples."""
        return described()

    described = cache(lambda: document((*methods, own)))  # built at the first call, since it takes 60 ms of CPU
    return own


def document(methods: Sequence[Method]) -> dict[str, Any]:
    schemas: dict[str, Any] = {}
    return {
        "openrpc": "1.2.6",
        "info": {
            "title": "agentd",
            "version": version("agentd"),
            "description": "An agent daemon: prompts in, answers, steps and letters out. Errors carry `data.type` and "
            "`data.user_message`.",
            "license": {"name": "Apache-2.0"},
        },
        "methods": [_method(method, schemas) for method in methods],
        "components": {"schemas": schemas, "errors": {error.type: _error(error) for error in _errors(*methods)}},
    }


def _method(method: Method, schemas: dict[str, Any]) -> dict[str, Any]:
    params = _schema(method.params, schemas)
    required = params.get("required", [])
    described = {
        "name": method.name,
        "summary": method.summary,
        "paramStructure": "either",
        "params": [
            {
                "name": name,
                **({"description": schema["description"]} if "description" in schema else {}),
                "required": name in required,
                "schema": schema,
            }
            for name, schema in params.get("properties", {}).items()
        ],
        "result": {"name": "result", "schema": _result(method.result, schemas)},
        "errors": [{"$ref": f"#/components/errors/{error.type}"} for error in _errors(method)],
        "x-scopes": sorted(method.scopes | {"admin"}),
    }
    if shown := examples(method):
        described["examples"] = [
            {
                "name": example["name"],
                "params": [{"name": name, "value": value} for name, value in example["params"].items()],
                "result": {"name": "result", "value": example["result"]},
            }
            for example in shown
        ]
    return described


def examples(method: Method) -> list[dict[str, Any]]:
    """The method's documented examples {name, params, result}, from `method_examples.json` beside its module."""
    file = Path(inspect.getfile(method.act)).with_name("method_examples.json")
    found: dict[str, list[dict[str, Any]]] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return found.get(method.name, [])


def _result(result: Any, schemas: dict[str, Any]) -> dict[str, Any]:
    schema = _schema(result, schemas)
    if isinstance(result, type) and issubclass(result, BaseModel):
        schemas[result.__name__] = schema
        return {"$ref": _REF.format(model=result.__name__)}
    return schema


def _schema(kind: Any, schemas: dict[str, Any]) -> dict[str, Any]:
    """A type's JSON Schema. Its shared parts move into `schemas`; fields get the docstrings below them."""
    schema = TypeAdapter(kind).json_schema(ref_template=_REF)
    parts = schema.pop("$defs", {})
    for model in _models(kind):
        fields = parts.get(model.__name__, schema).get("properties", {})
        for name, text in _texts(model).items():
            fields[name] = {"description": text, **fields[name]}
    schemas.update(parts)
    return schema


def _models(kind: Any) -> Iterator[type[BaseModel]]:
    """Yield the models in a type, each followed by those of its fields."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        yield kind
        for field in kind.model_fields.values():
            yield from _models(field.annotation)
    for part in get_args(kind):
        yield from _models(part)


@cache
def _texts(model: type[BaseModel]) -> dict[str, str]:
    """{field: the docstring below it}, including inherited fields."""
    texts: dict[str, str] = {}
    for parent in (one for one in reversed(model.__mro__) if issubclass(one, BaseModel) and one is not BaseModel):
        body = cast(ast.ClassDef, ast.parse(dedent(inspect.getsource(parent))).body[0]).body
        for field, below in pairwise(body):
            match field, below:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    texts[name] = " ".join(text.split())
    return texts


def _errors(*methods: Method) -> dict[type[AgentdError], None]:
    """The errors of these methods, each once."""
    return dict.fromkeys((*_ANY_METHOD, *(error for method in methods for error in method.errors)))


def _error(error: type[AgentdError]) -> dict[str, Any]:
    example = error()
    return {
        "code": error.code,
        "message": example.message,
        "data": {"type": error.type, "user_message": example.user_message()},
    }
