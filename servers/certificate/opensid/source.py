"""Reads the letter templates of an office from OpenSID's database (tweb_surat_format). Writes nothing there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

_DRIVERS = {"mysql": "mysql+pymysql", "mariadb": "mariadb+pymysql", "sqlite": "sqlite"}
_COLUMNS = "id, nama, url_surat, kode_surat, masa_berlaku, satuan_masa_berlaku, syarat_surat, template, template_desa"
_FORMATS = sa.text(f"SELECT {_COLUMNS}, form_isian, kode_isian, format_nomor, kunci FROM tweb_surat_format"
                   " WHERE config_id = :office ORDER BY id")  # fmt: skip
_DOCUMENTS = sa.text("SELECT ref_syarat_id, ref_syarat_nama FROM ref_syarat_surat")
_OFFICES = sa.text("SELECT id, kode_desa FROM config ORDER BY id")
_DAYS = {"d": 1, "w": 7, "M": 30, "y": 365}


class SourceError(RuntimeError):
    """The database can't be read; the text says what to correct, without its password."""


@dataclass(frozen=True)
class Asked:
    """A value that a template asks for: `name` is its placeholder without brackets, `choices` are a list's."""

    name: str
    label: str
    kind: str
    required: bool
    hint: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Template:
    """One template. `html` is the office's own version if it has one; `valid_days` 0 means no limit."""

    title: str
    slug: str
    code: str
    html: str
    number_format: str
    valid_days: int
    locked: bool
    documents: tuple[str, ...]
    asked: tuple[Asked, ...]
    subject: str
    office_code: str


def templates(url: str, office: int | None = None) -> list[Template]:
    """Return one office's templates; `office`, its id in `config`, is needed if several share the database."""
    try:
        parsed = sa.make_url(url)
        engine = sa.create_engine(
            parsed.set(drivername=_DRIVERS[parsed.get_backend_name()]), hide_parameters=True, poolclass=sa.NullPool
        )
        with engine.connect() as connection:
            office, code = _office(connection, office)
            documents = {str(row[0]): str(row[1]) for row in connection.execute(_DOCUMENTS)}
            rows = connection.execute(_FORMATS, {"office": office}).mappings().all()
    except (KeyError, sa.exc.ArgumentError) as error:
        raise SourceError("RESIDENTS_URL is none of mysql://…, mariadb://…, sqlite:///FILE") from error
    except sa.exc.SQLAlchemyError as error:
        cause = getattr(error, "orig", None)
        raise SourceError(f"OpenSID's database can't be read ({type(cause or error).__name__}: {cause})") from error
    return [_template(row, documents, code) for row in rows]


def _office(connection: sa.Connection, wanted: int | None) -> tuple[int, str]:
    offices = {int(row[0]): str(row[1] or "") for row in connection.execute(_OFFICES)}
    if wanted is None and len(offices) != 1:
        raise SourceError(f"several offices share this database ({', '.join(map(str, offices))}): name one by --office")
    chosen = next(iter(offices)) if wanted is None else wanted
    if chosen not in offices:
        raise SourceError(f"there is no office {chosen} in config: {', '.join(map(str, offices))}")
    return chosen, offices[chosen]


def _template(row: Any, documents: dict[str, str], code: str) -> Template:
    own = str(row["template_desa"] or "").strip()
    unit = _DAYS.get(str(row["satuan_masa_berlaku"] or ""), 0)
    wanted = _json(row["syarat_surat"])
    return Template(
        title=" ".join(str(row["nama"] or "").split()),
        slug=str(row["url_surat"] or ""),
        code=str(row["kode_surat"] or ""),
        html=own or str(row["template"] or ""),
        number_format=str(row["format_nomor"] or ""),
        valid_days=min(int(row["masa_berlaku"] or 0) * unit, 3660),
        locked=bool(int(row["kunci"] or 0)),
        documents=tuple(documents[str(one)] for one in wanted if str(one) in documents)
        if isinstance(wanted, list)
        else (),
        asked=tuple(_asked(_json(row["kode_isian"]))),
        subject=_subject(_json(row["form_isian"])),
        office_code=code,
    )


def _asked(listed: Any) -> Iterator[Asked]:
    for one in listed if isinstance(listed, list) else []:
        if not isinstance(one, dict) or not (name := str(one.get("kode") or "").strip("[] ").casefold()):
            continue
        choices = one.get("pilihan")
        yield Asked(
            name=name,
            label=" ".join(str(one.get("nama") or name).split()),
            kind=str(one.get("tipe") or "text"),
            required=str(one.get("required", "1")) == "1",
            hint=" ".join(str(one.get("deskripsi") or "").split()),
            choices=tuple(str(each) for each in choices) if isinstance(choices, list) else (),
        )


def _subject(form: Any) -> str:
    """Return what the template requires of the person it is about, beyond being a living resident."""
    person = form.get("individu") if isinstance(form, dict) else None
    if not isinstance(person, dict):
        return ""
    return ", ".join(f"{key} {value}" for key, value in person.items() if key not in ("data", "status_dasar") and value)


def _json(text: Any) -> Any:
    try:
        return json.loads(text) if isinstance(text, str) else text
    except ValueError:
        return None
