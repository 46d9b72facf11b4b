"""A letter's schema and shorthands for sessions, for the tests of grounding and approval."""

from __future__ import annotations

from typing import Any

from agentd.errors import Language
from agentd.messages import Said, ToolCall, ToolInfo

PROPERTIES: dict[str, Any] = {
    "nama": {"type": "string", "title": "Nama lengkap", "format": "person-name", "examples": ["NAMA LENGKAP ANDA"]},
    "nik": {"type": "string", "title": "NIK", "format": "nik", "examples": ["0000000000000000"]},
    "tempat_lahir": {"type": "string", "title": "Tempat lahir", "format": "text", "examples": ["KOTA"]},
    "tanggal_lahir": {"type": "string", "title": "Tanggal lahir", "format": "date", "examples": ["1900-01-01"]},
    "jenis_kelamin": {"type": "string", "title": "Jenis kelamin", "enum": ["Laki-laki", "Perempuan"]},
    "agama": {
        "type": "string",
        "title": "Agama",
        "enum": ["Islam", "Kristen", "Katolik", "Hindu", "Buddha", "Konghucu"],
    },
    "status_perkawinan": {
        "type": "string",
        "title": "Status perkawinan",
        "enum": ["Belum Kawin", "Kawin", "Cerai Hidup", "Cerai Mati"],
    },
    "pekerjaan": {"type": "string", "title": "Pekerjaan", "format": "text"},
    "kewarganegaraan": {"type": "string", "title": "Kewarganegaraan", "enum": ["WNI", "WNA"], "default": "WNI"},
    "alamat_ktp": {"type": "string", "title": "Alamat sesuai KTP", "format": "address"},
    "alamat_domisili": {"type": "string", "title": "Alamat domisili", "format": "address"},
    "rt": {"type": "string", "title": "RT", "format": "rt"},
    "rw": {"type": "string", "title": "RW", "format": "rw"},
    "no_kk": {"type": "string", "title": "Nomor KK", "format": "kk"},
    "telepon": {"type": "string", "title": "Nomor telepon", "format": "phone"},
    "keperluan": {"type": "string", "title": "Keperluan", "format": "text"},
    "nama_usaha": {"type": "string", "title": "Nama usaha", "format": "text"},
    "jenis_usaha": {"type": "string", "title": "Jenis usaha", "format": "text"},
    "alamat_usaha": {"type": "string", "title": "Alamat usaha", "format": "address"},
    "penghasilan": {"type": "integer", "title": "Penghasilan per bulan"},
    "nama_ibu": {"type": "string", "title": "Nama ibu", "format": "person-name"},
}


def letter(required: tuple[str, ...] = (), **changes: Any) -> ToolInfo:
    """The official tool; `required` fields are asked for even when a call leaves them out."""
    schema = {"type": "object", "properties": PROPERTIES | changes, "required": list(required)}
    name = "generate_surat_keterangan_domisili"
    return ToolInfo(name=name, server="certificate", official=True, approval="citizen", input_schema=schema)


LETTER = letter()
"""The letter that most tests call; shared because a tool's description is parsed once (by_object.py)."""


def session(*lines: str) -> tuple[Said, ...]:
    """A session from lines: `W: …` or no prefix is the citizen (warga), `A: …` the agent."""
    said = []
    for order, line in enumerate(lines, 1):
        by, text = ("agent", line[3:]) if line.startswith("A: ") else ("citizen", line.removeprefix("W: "))
        said.append(Said(by=by, order=order, text=text))
    return tuple(said)


def call(
    arguments: dict[str, Any],
    *lines: str,
    tool: ToolInfo | None = None,
    said: tuple[Said, ...] = (),
    language: Language = "id",
) -> ToolCall:
    """A call of the letter after a session."""
    return ToolCall(
        tool=tool or LETTER,
        input=arguments,
        run_id="r",
        session_id="s",
        step=1,
        said=(*session(*lines), *said),
        language=language,
    )
