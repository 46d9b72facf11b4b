"""Free text and what is written in no other form (an email, a birth): what was said instead of it, asked or planned."""

from __future__ import annotations

import pytest

from agentd.apps.letters.grounding import ungrounded
from agentd.messages import ToolInfo
from tests.agentd.apps.letters.letters import call
from tests.agentd.apps.letters.test_lists import missing

USAHA, DOMISILI = "surat_keterangan_usaha", "surat_keterangan_domisili"
OK = "A: Baik."
FORM = ToolInfo(
    name="register",
    server="office",
    official=True,
    input_schema={
        "type": "object",
        "properties": {name: {"type": "string"} for name in ("email", "rt_rw", "ttl", "pendidikan")},
    },
)


@pytest.mark.parametrize(
    ("field", "said", "instead"),
    [
        ("email", "Email saya {}", ("nadia@x.id", "nadia.p@y.id")),
        ("rt_rw", "RT/RW {}", ("003/007", "004/008")),
        ("ttl", "TTL: {}", ("Jakarta, 5 Januari 1990", "Bogor, 6 Mei 1991")),
        ("pendidikan", "pendidikan terakhir {}", ("S1", "SMA")),
    ],
)
def test_what_is_said_last_of_a_field_replaces_what_was_said_before(
    field: str, said: str, instead: tuple[str, str]
) -> None:
    first, last = instead
    lines = (said.format(first), OK, said.format(last))
    assert not ungrounded(call({field: first}, lines[0], tool=FORM))
    assert ungrounded(call({field: first}, *lines, tool=FORM))
    assert not ungrounded(call({field: last}, *lines, tool=FORM))


@pytest.mark.parametrize(
    ("letter", "field", "value", "said"),
    [
        (DOMISILI, "keperluan", "buka rekening", "bisa dipakai buat buka rekening gak ya"),
        (DOMISILI, "keperluan", "buka rekening", "mau tanya, mau buka rekening perlu surat ini?"),
        (USAHA, "nama_usaha", "Toko Murah", "usaha sy di nama jalan Toko Murah"),
        (USAHA, "nama_usaha", "Siti Aminah", "mau bikin surat usaha nama Siti Aminah"),
        (USAHA, "jenis_usaha", "jual pulsa", "nanti jenis usahanya mau jual pulsa"),
        (USAHA, "jenis_usaha", "jual pulsa", "toko depan jual pulsa, usaha sy katering"),
    ],
)
def test_what_is_asked_planned_or_called_otherwise_is_no_fields_value(
    letter: str, field: str, value: str, said: str
) -> None:
    assert missing(letter, {field: value}, said) == {field}
