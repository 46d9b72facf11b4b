"""An MCP server whose official forms name the source of their values; each returns its arguments. Not a test.

It stands in for any letter server: tests see what the daemon fills in and reports without rendering a page.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from pydantic import Field

server = MCPServer("forms", log_level="WARNING")


def official(name: str, assurance: str) -> dict[str, Any]:
    return {
        "agentd/official": True,
        "agentd/letter": True,
        "agentd/asked_by": [name],
        "agentd/assurance": assurance,
        "agentd/requirements": ["KTP (asli)", "Kartu Keluarga"],
        "agentd/valid_days": 30,
    }


def field(title: str, source: str | None = None, kind: str | None = None) -> Any:
    more = {"format": kind, "x-agentd-source": source}
    return Field(title=title, json_schema_extra={name: value for name, value in more.items() if value is not None})


Name = Annotated[str, field("Nama", "resident.nama", "person-name")]
Nik = Annotated[str, field("NIK", "resident.nik", "nik")]
Address = Annotated[str, field("Alamat", "resident.alamat", "address")]
Phone = Annotated[str, field("Telepon", "resident.telepon", "phone")]
Purpose = Annotated[str, field("Keperluan")]


def answered(context: Context, **given: Any) -> dict[str, Any]:  # type: ignore[type-arg]
    return {"given": given, "basis": (context.request_context.meta or {}).get("agentd/basis")}


@server.tool(title="Surat Alamat", meta=official("surat alamat", "officer"))
def generate_surat_alamat(  # type: ignore[no-untyped-def]
    nama: Name,
    nik: Nik,
    alamat: Address,
    keperluan: Purpose,
    context: Context,  # type: ignore[type-arg]
) -> dict[str, Any]:
    """A letter about the applicant."""
    return answered(context, nama=nama, nik=nik, alamat=alamat, keperluan=keperluan)


@server.tool(title="Surat Telepon", meta=official("surat telepon", "officer"))
def generate_surat_telepon(  # type: ignore[no-untyped-def]
    nama: Name,
    telepon: Phone,
    keperluan: Purpose,
    context: Context,  # type: ignore[type-arg]
) -> dict[str, Any]:
    """A letter with a datum that the register may not hold."""
    return answered(context, nama=nama, telepon=telepon, keperluan=keperluan)


@server.tool(title="Surat Anak", meta=official("surat anak", "officer"))
def generate_surat_anak(  # type: ignore[no-untyped-def]
    nama_anak: Annotated[str, field("Nama anak", "family", "person-name")],
    lahir_anak: Annotated[str, field("Tanggal lahir anak", "family.tanggal_lahir", "date")],
    keperluan: Purpose,
    context: Context,  # type: ignore[type-arg]
) -> dict[str, Any]:
    """A letter about a member of the applicant's family."""
    return answered(context, nama_anak=nama_anak, lahir_anak=lahir_anak, keperluan=keperluan)


@server.tool(title="Surat Pasti", meta=official("surat pasti", "pin"))
def generate_surat_pasti(nama: Name, context: Context) -> dict[str, Any]:  # type: ignore[type-arg]
    """A letter only for who has proven who they are."""
    return answered(context, nama=nama)


@server.tool(title="Surat Lambat", meta=official("surat lambat", "officer"))
def generate_surat_lambat(nama: Name, keperluan: Purpose, context: Context) -> dict[str, Any]:  # type: ignore[type-arg]
    """A letter that is being made until FORMS_GATE is gone; it says that by a file beside it."""
    gate = Path(os.environ["FORMS_GATE"])
    gate.with_suffix(".begun").touch()
    while gate.exists():
        time.sleep(0.01)
    return answered(context, number="001/SL/2026", nama=nama, keperluan=keperluan) | {"number": "001/SL/2026"}


if __name__ == "__main__":
    server.run("stdio")
