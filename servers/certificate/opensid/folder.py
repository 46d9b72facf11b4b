"""Converts a template to a letter folder (rows, text, fields) and lists what could not be converted. Writes no file."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from servers.certificate.office import unique_pattern
from servers.certificate.opensid.page import Block, blocks
from servers.certificate.opensid.placeholders import DATA, FRAME, ROLES, VALIDITY, Mapped, names, translate
from servers.certificate.opensid.source import Asked, Template

LABELS: Mapping[str, str] = DATA["labels"]
KINDS: Mapping[str, str] = DATA["kinds"]
"""Kinds of fields that aren't `text`; sex, religion, status and citizenship are choices with their own names."""
_CHOICES = frozenset(DATA["choices"])
_FORM_KINDS: Mapping[str, str] = DATA["form_kinds"]
_HEAD = frozenset(DATA["head"])
_OF_THE_OFFICE = frozenset(DATA["of_the_office"])
_DOCUMENT = re.compile(DATA["document"], re.IGNORECASE)
_NUMBERING = re.compile(r"[0-9a-z]{1,2}[.)]?|[:–-]", re.IGNORECASE)
_NUMBER = re.compile(r"\[\s*(\w+)\s*(?:,\s*([0-9]+)\s*)?\]")
_NUMBER_SLOTS: Mapping[str, str] = DATA["number_slots"]


@dataclass(frozen=True)
class Folder:
    """A letter folder to create. `lost` prevents that; `notes` list what the office should check."""

    key: str
    title: str
    series: str = ""
    toml: str = ""
    text: str = ""
    lost: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def made(template: Template, taken: Collection[str], taken_series: Collection[str]) -> Folder:
    """Convert a template to a folder; `taken` are the keys of letters that must not be replaced, and their series."""
    title = template.title if template.title.casefold().startswith("surat ") else f"Surat {template.title}"
    key = _key(template, taken)
    if template.locked:
        return Folder(key, title, lost=("disabled in OpenSID",))
    found = Mapped()
    forms = {asked.name: asked for asked in template.asked}
    rows, paragraphs, at = _read(template, frozenset(forms), found)
    lost = sorted(found.unknown) + ([] if rows or paragraphs else ["no text"])
    if lost:
        return Folder(key, title, lost=tuple(lost))
    asked = [forms[name] for name in sorted(found.forms, key=list(forms).index)]
    fields = [*_resident_fields(found), *map(_form_field, asked)]
    pattern, notes = _pattern(template)
    notes += _notes(template, found, asked, paragraphs)
    series = _series(template, key, taken_series)
    settings: dict[str, object] = {
        "title": title,
        "summary": f"Terbitkan {title[:55].lower()} (PDF).",
        "series": series,
        "number_pattern": pattern,
        "order": 500,
        "assurance": "officer",
        "valid_days": template.valid_days,
        "aliases": [template.title.casefold()],
        "requirements": list(template.documents),
    }
    toml = _toml(title, settings, fields, rows, _roles(found))
    lines = [*paragraphs[:at], "[data]", *paragraphs[at:]] if rows else paragraphs
    return Folder(key, title, series, toml, "\n".join(lines) + "\n", notes=tuple(notes))


def _read(template: Template, forms: frozenset[str], found: Mapped) -> tuple[list[tuple[str, str]], list[str], int]:
    """Return (rows, paragraphs, number of paragraphs before the first row), without what our page draws itself."""
    rows: list[tuple[str, str]] = []
    paragraphs: list[str] = []
    before = 0
    body = [block for block in blocks(template.html) if not _is_frame(block)]
    for block in body:
        cells = [cell for cell in block.cells if not _NUMBERING.fullmatch(cell)]
        if len(block.cells) > 1 and len(cells) == 2 and not names(cells[0]) and len(cells[0]) <= 60:
            before = before if rows else len(paragraphs)
            value = translate(cells[1].removeprefix(":").strip(), forms, found)
            rows.append((cells[0].rstrip(" :").replace("{", "(").replace("}", ")"), value))
        elif text := translate(" ".join(cells), forms, found).strip(" :"):
            paragraphs.append(text)
    return rows, paragraphs, before


def _is_frame(block: Block) -> bool:
    """Return True for letterhead, title, number, validity and signature, judging by their placeholders and words."""
    met = names(block.text)
    if met & (FRAME | VALIDITY):
        return True
    left = [
        word
        for word in re.findall(r"[^\W\d_]+", re.sub(r"\[[^\]]*\]", " ", block.text))
        if word.casefold() not in _HEAD
    ]
    return bool(met) and not left and met <= _OF_THE_OFFICE


def _key(template: Template, taken: Collection[str]) -> str:
    """The name of the template's folder, at most 41 characters and none of those taken."""
    words = re.sub(r"[^a-z0-9]+", "_", (template.slug or template.title).casefold()).strip("_")
    key = (words if words[:1].isalpha() else f"surat_{words}")[:34].rstrip("_")
    while key in taken:
        key = f"{key}_kantor"[:41]
        if key in taken:
            key = f"{key[:34]}_{sum(one.startswith(key[:34]) for one in taken)}"
    return key


def _series(template: Template, key: str, taken: Collection[str]) -> str:
    series = re.sub(r"[^A-Z0-9.-]", "", template.code.upper())[:16] or re.sub(r"[^A-Z]", "", key.upper())[:8]
    number, chosen = 2, series
    while chosen in taken:
        number, chosen = number + 1, f"{series}-{number}"
    return chosen


def _resident_fields(found: Mapped) -> Iterator[str]:
    order = list(LABELS)
    for name, (datum, role) in sorted(
        found.residents.items(), key=lambda item: (item[1][1] or "", order.index(item[1][0]))
    ):
        label = LABELS[datum] if role is None else f"{LABELS[datum]} {role}"
        kind = "choice" if datum in _CHOICES else KINDS.get(datum, "text")
        parts = [f'kind = "{kind}"', f"label = {_quoted(label)}"]
        parts += [f'choices = "{datum}"'] if kind == "choice" else []
        parts += [f'source = "resident.{datum}"'] if role is None else [f'about = "{ROLES[role]}"']
        parts += ["identity = true"] if datum == "tempat_lahir" else []
        parts += ["optional = true"] if datum in ("jenis_kelamin", "no_kk") else []
        yield f"{name} = {{ {', '.join(parts)} }}"


def _form_field(asked: Asked) -> str:
    """Return letter.toml's line for a field that the template asks the citizen; a choice if it lists any."""
    choices = tuple(dict.fromkeys(" ".join(one.split()) for one in asked.choices if one.strip()))
    kind = "choice" if choices else _FORM_KINDS.get(asked.kind, "text")
    parts = [f'kind = "{kind}"', f"label = {_quoted(asked.label)}"]
    parts += [f"hint = {_quoted(asked.hint)}"] if asked.hint and asked.hint != asked.label else []
    parts += [f"choices = {{ {', '.join(f'{_quoted(one)} = []' for one in choices)} }}"] if choices else []
    parts += [] if asked.required else ["optional = true"]
    return f"{asked.name} = {{ {', '.join(parts)} }}"


def _roles(found: Mapped) -> list[str]:
    used = dict.fromkeys(ROLES[suffix] for _, suffix in found.residents.values() if suffix)
    named = ((role, *DATA["role_words"][role]) for role in used)
    return [f'{role} = {{ id = ["{own}"], en = ["{english}"] }}' for role, own, english in named]


def _pattern(template: Template) -> tuple[str | None, list[str]]:
    """Return (the template's own number pattern, notes); the pattern is None if the office's is used."""
    if not template.number_format:
        return None, []
    unknown: list[str] = []

    def slot(match: re.Match[str]) -> str:
        name, width = match[1].casefold(), match[2]
        if name == "nomor_surat":
            return f"{{seq:0{width}d}}" if width else "{seq}"
        if name == "kode_desa":
            return template.office_code
        unknown.extend([] if name in _NUMBER_SLOTS else [match[0]])
        return _NUMBER_SLOTS.get(name, "")

    pattern = _NUMBER.sub(slot, template.number_format.replace("{", "(").replace("}", ")"))
    try:
        return (None, [f"number format {', '.join(unknown)}"]) if unknown else (unique_pattern(pattern), [])
    except ValueError:
        return None, ["number format: without series and year two letters would get one number"]


def _notes(template: Template, found: Mapped, asked: list[Asked], paragraphs: list[str]) -> Iterator[str]:
    lists = [one.label for one in asked if one.kind == "select-otomatis" and not one.choices]
    yield from (f"list of {label}: asked as text" for label in lists)
    yield from (
        f"[{one.name}] is asked there, and printed nowhere" for one in template.asked if one.name not in found.forms
    )
    yield from (f"only for: {one}" for one in [template.subject] if one)
    spoken = [match[0] for text in paragraphs for match in _DOCUMENT.finditer(text)]
    yield from (f'speaks of "{one}", seen or not' for one in spoken)


def _toml(
    title: str, settings: dict[str, object], fields: list[str], rows: list[tuple[str, str]], roles: list[str]
) -> str:
    head = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in settings.items() if value]
    table = ["rows = [", *(f"    [{_quoted(label)}, {_quoted(value)}]," for label, value in rows), "]"]
    people = ["", "[roles]", *roles] if roles else []
    first = f"# {title}. Made from a template of OpenSID; the office may change it freely."
    return "\n".join([first, *head, *table, *people, "", "[fields]", *fields]) + "\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
