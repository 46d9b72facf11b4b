"""What a tool says of its fields in JSON Schema decides: labels, kinds, persons and times (issue 17, "Fields")."""

from __future__ import annotations

from typing import Any

import pytest

from agentd.apps.letters.evidence.fields.field import form
from agentd.apps.letters.policies.grounding import ungrounded
from agentd.messages import ToolInfo
from tests.agentd.apps.letters.letters import call


def tool(properties: dict[str, Any], **root: Any) -> ToolInfo:
    schema = {"type": "object", "properties": properties, **root}
    return ToolInfo(name="issue_paper", server="office", official=True, input_schema=schema)


def missing(properties: dict[str, Any], arguments: dict[str, Any], *lines: str, **root: Any) -> list[str]:
    return [field.path for field in ungrounded(call(arguments, *lines, tool=tool(properties, **root)))]


def test_a_tools_own_label_settles_its_field() -> None:
    nim = {"nim": {"type": "string", "x-agentd-labels": {"id": ["nomor mahasiswa"], "en": ["student number"]}}}
    assert missing(nim, {"nim": "55121044"}, "Nomor mahasiswa saya 55121044.") == []
    assert missing(nim, {"nim": "55121044"}, "My student number is 55121044.") == []
    assert missing(nim, {"nim": "55121048"}, "My student number is 55121044.") == ["nim"]


def test_a_reason_is_asked_for_by_the_tools_own_word() -> None:
    reason = {"reason": {"type": "string", "x-agentd-labels": {"en": ["reason for blocking"]}}}
    (field,) = ungrounded(call({"reason": "lost"}, "hello", tool=tool(reason), language="en"))
    assert field.own_title("en") == "reason for blocking"
    assert field.label == "field:reason"


def test_a_field_that_is_a_relation_is_what_is_asked_for_and_no_other_person() -> None:
    employer = {"employer": {"type": "string"}}
    assert form(tool(employer).input_schema).shapes["employer"].person is None
    assert missing(employer, {"employer": "Harbour Foods"}, "My employer is Harbour Foods.") == []


def test_a_role_of_the_tool_is_known_by_its_own_words() -> None:
    seller = {"nama_penjual": {"type": "string", "x-agentd-kind": "name", "x-agentd-about": "seller"}}
    roles = {"seller": {"id": ["penjual"], "en": ["the seller"]}}
    said = ("Nama saya Budi Santoso. Nama penjual Joko Susilo.",)
    assert missing(seller, {"nama_penjual": "Joko Susilo"}, *said, **{"x-agentd-roles": roles}) == []
    assert missing(seller, {"nama_penjual": "Budi Santoso"}, *said, **{"x-agentd-roles": roles}) == ["nama_penjual"]


@pytest.mark.parametrize(
    ("said", "passes"),
    [
        ("My policy number is 44871923", True),
        ("his policy number is 44871923", False),
        ("Their policy number is 44871923, please", False),
        ("The landlord's policy number is 44871923", False),
        ("Say my policy number is 44871923, would it work?", False),
        ("Nomor polis saya 44871923", True),
        ("Nomor polis kakak ipar saya 44871923", False),
        ("Teman saya bernomor polis 44871923", False),
        ("Tidak benar nomor polis saya 44871923", False),
    ],
)
def test_what_anybody_else_owns_is_nobodys_at_a_strange_office(said: str, passes: bool) -> None:
    policy = {"policy_number": {"type": "string", "x-agentd-labels": {"en": ["policy number"], "id": ["nomor polis"]}}}
    assert (missing(policy, {"policy_number": "44871923"}, said) == []) is passes


def test_a_form_about_somebody_else_takes_nothing_of_the_one_who_speaks() -> None:
    plain = {"nama": {"type": "string"}, "nik": {"type": "string"}}
    arguments = {"nama": "Budi Santoso", "nik": "3175064501900003"}
    said = ("Nama saya Budi Santoso, NIK saya 3175064501900003.",)
    assert missing(plain, arguments, *said, **{"x-agentd-about": "deceased"}) == ["nama", "nik"]
    assert missing(plain, arguments, *said) == []


def test_every_leaf_of_objects_lists_and_references_is_read() -> None:
    person = {"type": "object", "properties": {"nama": {"type": "string"}}}
    properties = {
        "penjual": {"$ref": "#/$defs/person", "x-agentd-about": "seller"},
        "saksi": {"type": "array", "items": {"$ref": "#/$defs/person"}},
    }
    shapes = form(tool(properties, **{"$defs": {"person": person}}).input_schema).shapes
    assert shapes["penjual.nama"].person == "seller"
    assert shapes["penjual.nama"].came_from["about"] == "x-agentd-about"
    assert shapes["saksi[].nama"].kind == "name"


def test_a_schema_that_contains_itself_is_read_to_its_end() -> None:
    node = {"type": "object", "properties": {"nama": {"type": "string"}, "anak": {"$ref": "#/$defs/node"}}}
    shapes = form(tool({"keluarga": {"$ref": "#/$defs/node"}}, **{"$defs": {"node": node}}).input_schema).shapes
    assert "keluarga.nama" in shapes


@pytest.mark.parametrize(
    "said",
    [
        "Tahun lalu pekerjaan saya guru.",
        "Pekerjaan saya guru tahun lalu.",
        "Tahun depan pekerjaan saya guru.",
        "Last year my occupation was guru.",
        "Next year my occupation will be guru.",
    ],
)
def test_what_was_once_or_may_be_one_day_is_not_so_now(said: str) -> None:
    assert missing({"pekerjaan": {"type": "string"}}, {"pekerjaan": "guru"}, said) == ["pekerjaan"]


def test_an_amount_is_read_with_its_currency() -> None:
    income = {"penghasilan": {"type": "integer", "x-agentd-kind": "money"}}
    assert missing(income, {"penghasilan": 2350000}, "Penghasilan saya Rp2.350.000.") == []
    assert missing(income, {"penghasilan": 2530000}, "Penghasilan saya Rp2.350.000.") == ["penghasilan"]


@pytest.mark.parametrize(("title", "kind"), [("Nama penumpang", "name"), ("Passenger name", "name"), ("", "number")])
def test_a_text_with_a_counts_name_is_a_name_if_its_title_says_so(title: str, kind: str) -> None:
    schema = {"type": "object", "properties": {"penumpang": {"type": "string", "title": title}}}
    assert form(schema).shapes["penumpang"].kind == kind
