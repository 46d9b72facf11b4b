"""Nothing that wasn't said passes, whatever was said. Issue 5, "Grounding"."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentd.apps.letters.policies.grounding import ungrounded
from tests.agentd.apps.letters.letters import PROPERTIES, call
from tests.agentd.apps.letters.test_grounding import found, missing

pytestmark = pytest.mark.slow
_TALK = st.lists(
    st.sampled_from(
        [
            "Nama saya Budi Santoso, NIK 3175064501900003",
            "Siti Aminah, 3175064501900004, Solo 5 Mei 1991, Islam, kawin, guru, Jl. Mawar 9 RT 1 RW 2",
            "saya tinggal di Jl. Melati No. 5 RT 3 RW 7",
            "untuk melamar kerja",
            "A: Siapa nama lengkap Anda?",
            "A: Mohon sebutkan: agama, pekerjaan dan alamat.",
            "ya",
            "Agus",
            "eh salah, RT 5",
            "nama ibu saya Dewi",
            "apa syaratnya?",
            "I was born in Medan on 7 July 1985",
        ]
    ),
    max_size=8,
)
_UNSAID: dict[str, Any] = {
    "nama": "Zulkifli Harahap",
    "nik": "1271010101800001",
    "tempat_lahir": "Manado",
    "tanggal_lahir": "1977-07-17",
    "agama": "Hindu",
    "pekerjaan": "Astronaut",
    "alamat_domisili": "Jl. Sudirman No. 88",
    "alamat_ktp": "Gang Kelinci 4",
    "rt": "19",
    "rw": "18",
    "no_kk": "1271010101800002",
    "telepon": "081299998888",
    "keperluan": "Visa Jepang",
    "penghasilan": 7654321,
}


@settings(max_examples=120, deadline=None)
@given(_TALK, st.sets(st.sampled_from(sorted(_UNSAID)), min_size=1))
def test_no_value_that_nobody_said_passes_in_any_conversation(talk: list[str], names: set[str]) -> None:
    assert set(missing({name: _UNSAID[name] for name in names}, *talk)) == names


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.text(max_size=60), max_size=5),
    st.sampled_from(["nama", "pekerjaan", "keperluan", "tempat_lahir", "alamat_domisili", "nama_usaha"]),
    st.text(alphabet="bcdfghjkmnprstvz", min_size=9, max_size=14),
)
def test_random_text_proves_no_words_of_its_own_making(talk: list[str], name: str, word: str) -> None:
    if word not in " ".join(talk).casefold():
        assert missing({name: word}, *talk) == [name]


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.text(alphabet="0123456789 .-/,\nNIKRTW", max_size=80), max_size=5), st.from_regex(r"\A[1-9][0-9]{15}\Z")
)
def test_no_nik_passes_whose_digits_were_not_written(talk: list[str], nik: str) -> None:
    digits = "".join(letter for letter in "".join(talk) if letter.isdecimal())
    if nik not in digits:
        assert missing({"nik": nik}, *talk) == ["nik"]


@settings(max_examples=60, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=9), lambda inner: st.lists(inner, max_size=3)
    )
)
def test_any_json_is_judged_without_an_error(value: Any) -> None:
    arguments = dict.fromkeys(PROPERTIES, value)
    ungrounded(call(arguments, "nama saya Budi", said=found({"nama": value})))
