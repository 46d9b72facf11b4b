"""Reads a call's params into the method's model and names wrong ones. It checks shapes, not rights."""

from __future__ import annotations

import difflib
import json
import re
import unicodedata
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, ValidationInfo
from pydantic_core import ErrorDetails, PydanticCustomError

from agentd.agent.actions import MAX_DEPTH, too_deep
from agentd.agent.language import detect, own_language
from agentd.agent.languages import own, replies
from agentd.agent.text import encodable
from agentd.errors import InvalidParams, Language

MAX_PROMPT_BYTES = 8192
"""The default limit of a prompt's UTF-8 bytes; the configuration may set another."""


class Params(BaseModel):
    """Base of every method's params: frozen, nothing coerced, unknown names refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)


class NoParams(Params):
    """A method without params."""


P = TypeVar("P", bound=Params)


def _check_length(text: str, info: ValidationInfo, what: str) -> None:
    limit = info.context if isinstance(info.context, int) else MAX_PROMPT_BYTES
    if len(text) > limit or len(text.encode("utf-8", "surrogatepass")) > limit:
        said = {"limit": limit, "what": what}
        raise PydanticCustomError("text_long", "is longer than {limit} bytes of {what}; send a shorter text", said)


def _clean(text: str, info: ValidationInfo) -> str:
    _check_length(text, info, "UTF-8")
    cleaned = encodable(text)
    if all(unicodedata.category(char)[0] in "CZ" for char in cleaned):
        kind = "is empty" if not text.strip() else "holds nothing to read (only control or blank characters)"
        raise PydanticCustomError("text_empty", "{kind}; write what you want to ask", {"kind": kind})
    return cleaned


Prompt = Annotated[str, AfterValidator(_clean), Field(description="What the person asks, in their own words.")]
"""A person's own words. Control characters except tab and line breaks are removed; half a surrogate pair is `?`."""


def _shallow(arguments: dict[str, Any]) -> dict[str, Any]:
    if too_deep(arguments):
        raise PydanticCustomError("too_deep", "is nested more than {limit} times", {"limit": MAX_DEPTH})
    return arguments


Arguments = Annotated[dict[str, Any], AfterValidator(_shallow)]
"""The arguments of a tool."""


def _bounded(form: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
    _check_length(json.dumps(form, ensure_ascii=False), info, "JSON in UTF-8")
    return form


Form = Annotated[Arguments, AfterValidator(_bounded)]
"""The values of a page's form, a person's own words; no longer than a prompt."""

RunId = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9_~-][A-Za-z0-9._~:-]{0,127}$",
        description="The run's id, and the caller's idempotency key: 1 to 128 of A-Z a-z 0-9 . _ ~ : -",
    ),
]
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Fillers and variation selectors: letters and marks that are invisible."""


def _visible(text: str) -> str:
    for place, char in enumerate(text, 1):
        if not char.isprintable() or _UNSEEN.match(char):
            raise ValueError(f"holds a character that can't be seen (U+{ord(char):04X} at place {place}); leave it out")
    if text.isspace():
        raise ValueError("is blank; name the conversation, or leave it out")
    return text


SessionId = Annotated[
    str,
    Field(min_length=1, max_length=200, description="The conversation's id: 1 to 200 characters, all of them visible."),
    AfterValidator(_visible),
]
Title = Annotated[
    str,
    Field(min_length=1, max_length=200, description="What its owner calls it: 1 to 200 characters, all visible."),
    AfterValidator(_visible),
]

SessionKey = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        description="The visitor's key of the session, or the header Agentd-Session-Key: kiosk and chat callers need "
        "it. A new session's: 22 to 128 of A-Z a-z 0-9 _ -, 128 random bits.",
    ),
]

_PERSONS_TEXT = frozenset({"prompt", "question", "messages"})
_HEARD = 2000
"""Characters of a person's words that are used to detect the language."""
_READ, _NAMED, _NAME = 1000, 20, 100
"""At most so many wrong params are read, so many are named, and so many characters of a name are shown."""


Raw = dict[str, Any] | list[Any]


def read(model: type[P], raw: Raw, max_prompt_bytes: int = MAX_PROMPT_BYTES) -> P:
    """Validate the params with the model; a list is matched by position, in the order of the model's fields.

    Raises InvalidParams, whose message names the wrong parameters but no value, with `data.field` (the first) and
    `data.errors` [{field, problem}].
    """
    if type(raw) is list:
        raw = _by_position(model, raw)
    try:
        return model.model_validate(raw, context=max_prompt_bytes)
    except ValidationError as error:
        raise named(model, error, language_of(raw)) from None


def language_of(raw: Raw) -> Language:
    """The language that the params ask for, else the one detected in the person's words."""
    given = raw if type(raw) is dict else {}
    options = given.get("options")
    if type(options) is dict and (known := own(options.get("language"))):
        return known
    words = next((value for name in _PERSONS_TEXT if type(value := given.get(name)) is str), "")
    return own_language(detect(words[:_HEARD]))


_DICTIONARY = re.compile(r"a valid dictionary(?: or instance of \w+)?")
_SUBJECT = re.compile(r"^(?:Input|String|List|Dictionary|Field) should")


def _by_position(model: type[Params], values: list[Any]) -> dict[str, Any]:
    names = list(model.model_fields)
    if len(values) > len(names):
        takes = f"{len(names)} ({', '.join(names)})" if names else "none"
        raise InvalidParams(f"Invalid params: {len(values)} values by position, but the method takes {takes}")
    return dict(zip(names, values, strict=False))


def named(model: type[BaseModel], error: ValidationError, language: Language) -> InvalidParams:
    """The validation error as InvalidParams, with the parameters' names but no values."""
    count = error.error_count()
    if count > _READ:
        return InvalidParams(f"Invalid params: {count} of them are wrong", field="")
    details = error.errors(include_url=False, include_input=False)[:_NAMED]
    found = [{"field": _field(detail), "problem": _problem(model, detail)} for detail in details]
    data: dict[str, Any] = {"field": found[0]["field"], "errors": found}
    first = details[0]
    said = replies()[language].prompt
    if first["loc"] and first["loc"][0] in _PERSONS_TEXT and first["type"] in said:
        data["user_message"] = said[first["type"]]
    named = "; ".join(f"{one['field']} {one['problem']}".lstrip() for one in found)
    more = count - len(found)
    return InvalidParams(f"Invalid params: {named}" + (f"; and {more} more" if more else ""), **data)


def _field(detail: ErrorDetails) -> str:
    return ".".join(str(name)[:_NAME] for name in detail["loc"])


def _problem(model: type[BaseModel], detail: ErrorDetails) -> str:
    match detail["type"]:
        case "missing":
            return "is required"
        case "extra_forbidden":
            known = list(_owner(model, detail["loc"]).model_fields)
            near = difflib.get_close_matches(str(detail["loc"][-1])[:_NAME], known, n=1, cutoff=0.5)
            if near:
                return f"is unknown; did you mean {near[0]}?"
            here = f"known here: {', '.join(known)}" if known else "there are no parameters here"
            return f"is unknown; {here}"
        case "text_empty" | "text_long" | "too_deep":
            return detail["msg"]
        case "value_error":
            return detail["msg"].removeprefix("Value error, ")
        case _:
            return f"is wrong: {wanted(detail)}"


def wanted(detail: ErrorDetails) -> str:
    """What the value should be, in JSON's terms instead of Python's."""
    if detail["type"] == "union_tag_invalid":
        return f"its {detail['ctx']['discriminator']} should be one of {detail['ctx']['expected_tags']}"
    said = _DICTIONARY.sub("an object", detail["msg"])
    return _SUBJECT.sub("it should", said).replace(" after validation", "")


def _owner(model: type[BaseModel], loc: tuple[int | str, ...]) -> type[BaseModel]:
    """The model that refused the last name of `loc`: the params model, or one nested in it."""
    for name in loc[:-1]:
        field = model.model_fields.get(str(name))
        if field is None:
            break
        kinds = (field.annotation, *getattr(field.annotation, "__args__", ()))
        nested = next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), None)
        if nested is None:
            break
        model = nested
    return model
