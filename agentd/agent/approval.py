"""Approval: a call that needs a human stops until one says yes to exactly these arguments. A policy.

It only judges: the engine stores the waiting calls and handles expiry and who may decide. It runs after grounding, so a
human is asked only about arguments that are proven, or that were said and are marked to be checked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from hashlib import sha256
from typing import Literal, get_args

from agentd.agent.four_eyes import identity_fields
from agentd.agent.languages import languages, replies, words
from agentd.agent.text import normal, one_line, plain, spaced
from agentd.errors import Language
from agentd.messages import ApprovalRule, Basis, Caller, Consent, Json, ToolCall, ToolInfo, ToolOutcome, canonical
from agentd.ports import CallPolicy, ToolHost

ASSENTS = frozenset(map(plain, words().assents))
"""All phrases that count as a plain yes."""
_FIRST = frozenset(map(plain, words().assents_first))
_BESIDE = frozenset(map(plain, words().beside_assent))
REFUSALS = frozenset(map(plain, words().refusals))
"""All answers that count as a plain no."""
_LONGEST = max(len(phrase.split()) for phrase in ASSENTS | _BESIDE | REFUSALS)

_CALLED = re.compile(r"^(?:generate_|create_|issue_|make_)")
Chooser = Literal["model", "person", "program"]
"""Who chose a call: a model, a person by hand (Tools.call), or one of the daemon's own workflows."""


def rule_of(
    tool: ToolInfo, configured: ApprovalRule | None, caller: Caller | None, chooser: Chooser = "model"
) -> ApprovalRule:
    """Who must approve a call: as the office configured; else the citizen if it is official, nobody if it is harmless,
    the citizen if the caller is at the counter, or staff.

    A call chosen by a program, or by an officer by hand, needs approval only if the office configured it or the tool
    is official.
    """
    if configured is not None:
        return configured
    if tool.official:
        return "citizen"
    if tool.harmless or chooser == "program":
        return "never"
    at_counter = caller is not None and not caller.may("staff") and caller.may("kiosk", "chat")
    if chooser == "person" and not at_counter:
        return "never"
    return "citizen" if at_counter else "staff"


class Approved(CallPolicy):
    """Makes a call wait for consent if the tool's `approval` requires it, unless the tool's server would refuse it."""

    def __init__(self, host: ToolHost) -> None:
        self._host = host

    async def before(self, call: ToolCall) -> ToolCall | ToolOutcome:
        """Let the call pass if it needs no approval or has it; otherwise return a `pending` or refused outcome."""
        rule = call.tool.approval
        if rule == "never" or covers(call.consent, call):
            return call
        if (refused := await refused_beforehand(self._host, call)) is not None:
            return refused
        text = summary(call.tool, call.input, call.language, rule, call.basis, call.doubted)
        return ToolOutcome(success=False, message=text, pending=waiting(call, text))


def waiting(call: ToolCall, text: str) -> dict[str, Json]:
    """The record of a waiting call: {tool, arguments, summary, labels, rule, four_eyes, identity, basis?, officer?,
    quotes?}."""
    tool, level = call.tool, LEVELS[0] if call.basis is None else call.basis.level
    officer = not reaches(level, least_of(tool))  # then a citizen's yes is not enough
    return {
        **({"officer": True} if officer else {}),
        **({"basis": call.basis.model_dump(mode="json")} if call.basis is not None else {}),
        **({"quotes": dict(call.quotes)} if call.quotes else {}),
        "tool": tool.name,
        "arguments": dict(call.input),
        "summary": text,
        "labels": _labels(tool, call.input),
        "rule": tool.approval,
        "four_eyes": tool.four_eyes,
        "identity": identity_fields(tool.input_schema) if tool.four_eyes or officer else [],
    }


async def refused_beforehand(host: ToolHost, call: ToolCall) -> ToolOutcome | None:
    """The server's refusal of the call, so that nobody approves it in vain; None without one or without a check."""
    checker = host.catalogue().tool_of(call.tool.server, call.tool.meta.get("agentd/checked_by", ""))
    if checker is None or not checker.read_only:
        return None
    about = {"tool": call.tool.bare_name, "arguments": call.input}
    found = await host.call(call.model_copy(update={"tool": checker, "input": about, "said": ()}))
    return None if found.success or found.output is None else found


def covers(consent: Consent | None, call: ToolCall) -> bool:
    """Whether the consent names this tool and exactly these arguments, equal as canonical JSON (1 is not "1").

    The server must still say the same of them, since it may have been replaced: another default, another unit.
    """
    if consent is None or consent.tool != call.tool.name or canonical(consent.arguments) != canonical(call.input):
        return False
    now = _labels(call.tool, call.input)
    return all(label == now.get(name, label) for name, label in consent.labels.items())


def _labels(tool: ToolInfo, arguments: Mapping[str, Json]) -> dict[str, str]:
    """What people read for the tool (key "") and for each argument, and what the server says of the call ("\\n")."""
    said = [tool.description, tool.whole_schema or tool.input_schema, *filter(None, [tool.meta.get("agentd/wording")])]
    titles = {name: _title(tool.input_schema, name) for name in arguments}
    return {"": _act(tool), "\n": sha256(canonical(said).encode("utf-8", "replace")).hexdigest(), **titles}


def assents(text: str) -> bool:
    """Whether the whole message is plain yeses and courtesies. A question, condition or any other word makes it False.

    A yes that asks a question after another yes (`sudah benar ya`) counts only as the first.
    """
    agreed = _put_together(text, ASSENTS)
    return bool(agreed) and _FIRST.isdisjoint(agreed[1:])


def refuses(text: str) -> bool:
    """Whether the whole message is exactly one plain no and courtesies; two of them may negate each other."""
    return len(_put_together(text, REFUSALS)) == 1


def _put_together(text: str, known: frozenset[str]) -> list[str]:
    """Split the message into `known` phrases, courtesies dropped; empty if it has any other word."""
    said = plain(text).split() if "?" not in normal(text) and len(text) <= 60 else []
    found: list[str] = []
    while said:
        heads = (" ".join(said[:size]) for size in range(_LONGEST, 0, -1))
        head = next((head for head in heads if head in known or head in _BESIDE), "")
        if not head:
            return []
        found += [head] if head in known else []
        said = said[len(head.split()) :]
    return found


def summary(
    tool: ToolInfo,
    arguments: Mapping[str, Json],
    language: Language,
    rule: ApprovalRule = "citizen",
    basis: Basis | None = None,
    doubted: Sequence[str] = (),
) -> str:
    """The text to approve, in the given language: one line per field with its schema title, then the question.

    Where the citizen contradicts the register, the text gives the registered value and says who corrects it. It lists
    the `doubted` arguments as ones to check.

    Under the rule `staff` it asks for no yes but says that an officer decides.
    """
    text = replies()[language]
    head = text.check_official if tool.official else text.check_act
    if rule == "staff":
        ask = text.officer_official if tool.official else text.officer_act
    else:
        ask = text.ask_official if tool.official else text.ask_act
    title, fields = titled(tool, arguments, language)
    rows = [f"- {label}: {value}" for label, value in fields]
    disputes = basis.disputed.values() if basis is not None else ()
    notes = [text.differs.format(title=one.title, registered=one.registered) for one in disputes]
    unsure = dict.fromkeys(_title(tool.input_schema, path.partition(".")[0]) for path in doubted)
    notes += [text.doubted.format(titles=", ".join(unsure))] if unsure else []
    return "\n".join([f"{head}: {title}", *rows, "", *map(one_line, notes), ask])


def titled(tool: ToolInfo, arguments: Mapping[str, Json], language: Language) -> tuple[str, list[tuple[str, str]]]:
    """The tool's title and its (field title, value) pairs, as people read them."""
    rows = _rows(tool.input_schema, arguments, language)
    return one_line(_act(tool)), [(one_line(label), one_line(text)) for label, text in rows]


def _act(tool: ToolInfo) -> str:
    return str(tool.annotations.get("title") or spaced(_CALLED.sub("", tool.name)))


def _rows(schema: Mapping[str, Json], value: Mapping[str, Json], language: Language) -> Iterator[tuple[str, str]]:
    properties = schema.get("properties", {})
    for name in [*(name for name in properties if name in value), *(name for name in value if name not in properties)]:
        prop = properties.get(name, {})
        label = _title(schema, name)
        inner = value[name]
        if isinstance(inner, Mapping):
            yield from ((f"{label} – {below}", text) for below, text in _rows(prop, inner, language))
        elif inner is not None and name != "session_id":
            kind = prop.get("format", "")
            if kind == "address" and isinstance(inner, str):
                inner = _without_parts(inner, value)
            yield label, shown(inner, language, kind)


def _title(schema: Mapping[str, Json], name: str) -> str:
    return str(schema.get("properties", {}).get(name, {}).get("title") or spaced(name).capitalize())


def _without_parts(address: str, arguments: Mapping[str, Json]) -> str:
    """The address without RT and RW, if its arguments hold the same numbers and so show them on lines of their own."""
    given = {name: str(arguments.get(name) or "").casefold() for name in words().address_parts}
    parts = {name: text.removeprefix(name).strip(" .").lstrip("0") for name, text in given.items()}
    if not all(number.isdecimal() for number in parts.values()):
        return address
    together = r"(?<![\s,])[\s,]*+\b"
    for at, (name, number) in enumerate(parts.items()):
        behind = r"\s*+[/,-]?+\s*+" if at else ""
        together += rf"{behind}(?:{name}[\s.:]*+{'|(?<=/)' if at else ''})0*{number}"
    return re.sub(rf"{together}\b", "", address, flags=re.IGNORECASE) or address


def as_written(text: str, kind: str, language: Language) -> str:
    """A value of a kind as people write it (a date in words, an amount in thousands); of other kinds unchanged."""
    write = AS_WRITTEN.get(kind)
    return text if write is None else write(text, language)


def _in_words(day: str, language: Language) -> str:
    """An ISO date as people write it (`5 Juli 1985`); any other text unchanged."""
    try:
        found = date.fromisoformat(day)
    except ValueError:
        return day
    return f"{found.day} {languages()[language].months[found.month - 1][0].capitalize()} {found.year}"


_LONGEST_AMOUNT = 20  # digits


def _in_thousands(amount: str, language: Language) -> str:
    """Plain digits as people write an amount (`1.800.000`, in English `1,800,000`); any other text unchanged."""
    if not (amount.isascii() and amount.isdecimal() and len(amount) <= _LONGEST_AMOUNT):
        return amount
    return f"{int(amount):,}".replace(",", "," if language == "en" else ".")


AS_WRITTEN: Mapping[str, Callable[[str, Language], str]] = {"date": _in_words, "money": _in_thousands}
"""How the text of a kind is shown."""


def shown(value: Json, language: Language, kind: str = "") -> str:
    """A value of a kind as people read it."""
    if isinstance(value, bool):
        text = replies()[language]
        return text.yes if value else text.no
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {shown(inner, language)}" for key, inner in value.items() if inner is not None)
    if isinstance(value, list):
        return "; ".join("–" if item is None else shown(item, language) for item in value)
    return as_written(value, kind, language) if isinstance(value, str) else str(value)


Level = Literal["declared", "officer", "pin", "card+pin"]
LEVELS: tuple[Level, ...] = get_args(Level)
"""Lowest first: the person says so, an officer saw the card, the person knows the PIN, the person has card and PIN."""
ASSURANCE = "agentd/assurance"
"""The key in a tool's `_meta` for the lowest level at which it may be called."""
DECLARES = "agentd/declares"
"""The key in a tool's `_meta` for an act that no register can confirm: it rests on a statement at any level."""


def reaches(level: str, least: str) -> bool:
    """Whether `level` is at least `least`. An unknown `level` never is; an unknown `least` needs the highest level."""
    known: list[str] = list(LEVELS)
    return level in known and known.index(level) >= (known.index(least) if least in known else len(known) - 1)


def least_of(tool: ToolInfo) -> str:
    """The lowest level at which the tool may be called."""
    return str(tool.meta.get(ASSURANCE) or LEVELS[0]) if tool.official else LEVELS[0]
