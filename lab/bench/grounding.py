"""How long the grounding check takes for a session of 50 turns (issue 5: at most 2 ms). Not a check of its verdicts."""

from __future__ import annotations

import time
from typing import Any

from agentd.apps.letters.evidence.reading.readings import Readings
from agentd.apps.letters.policies.grounding import ungrounded
from agentd.messages import Said, ToolCall, ToolInfo
from lab.bench._timing import median, timed_ms

ROUNDS = 200
_ASKED = ("Mohon sebutkan pekerjaan Anda.", "Berapa RT dan RW Anda?", "Untuk keperluan apa surat ini?", "Ada lagi?")
_SMALL = ("guru", "RT 3 RW 7", "untuk melamar kerja di kantor", "apa saja syaratnya ya pak?", "terima kasih banyak")
_DATA = (
    "Nama saya Budi Santoso, NIK saya 3175064501900003, lahir di Jakarta tanggal 5 Januari 1990, Islam, belum kawin.",
    "Saya tinggal di Jl. Melati No. 5 RT 3 RW 7, bekerja sebagai guru. Suratnya untuk melamar kerja.",
)
_CALL: dict[str, Any] = {
    "nama": "Budi Santoso",
    "nik": "3175064501900003",
    "tempat_lahir": "Jakarta",
    "tanggal_lahir": "1990-01-05",
    "agama": "Islam",
    "status_perkawinan": "Belum Kawin",
    "pekerjaan": "Guru",
    "alamat_domisili": "Jl. Melati No. 5",
    "rt": "003",
    "rw": "007",
    "keperluan": "Melamar kerja",
}


def session(turns: int, salt: int) -> tuple[Said, ...]:
    """A session of `turns` turns, each a question of the agent and an answer of the citizen."""
    said: list[Said] = []
    for turn in range(turns):
        text = _DATA[turn - turns + 2] if turn >= turns - 2 else _SMALL[(turn + salt) % len(_SMALL)]
        said.append(Said(by="agent", order=2 * turn, text=_ASKED[turn % len(_ASKED)]))
        said.append(Said(by="citizen", order=2 * turn + 1, text=text))
    return tuple(said)


def run() -> dict[str, float]:
    """Median CPU milliseconds: for a session that continues (`warm_ms`) and for a new one (`cold_ms`)."""
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in _CALL}}
    tool = ToolInfo(name="generate_surat", server="certificate", official=True, input_schema=schema)
    call = ToolCall(tool=tool, input=_CALL, run_id="bench", session_id="bench", step=1, said=session(50, 0))
    if missing := ungrounded(call):
        raise SystemExit(f"the bench's own call is not proven: {[field.path for field in missing]}")
    return {"warm_ms": _median(call, forget=False), "cold_ms": _median(call, forget=True)}


def _median(call: ToolCall, *, forget: bool) -> float:
    readings = Readings()
    ungrounded(call, readings)
    return median(timed_ms(lambda: ungrounded(call, Readings() if forget else readings), ROUNDS, time.process_time), 3)
