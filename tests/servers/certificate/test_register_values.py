"""What the register of residents has stands in a letter as it is: odd values warn the desk and stop no letter."""

from __future__ import annotations

import pytest

from servers.certificate.issuing.issuing import LetterService
from servers.certificate.letters import lettertype
from servers.certificate.letters.basis import Basis
from servers.certificate.signing import statement
from tests.servers.certificate.letters import ANSWERS, DOMISILI, issue
from tests.servers.certificate.test_basis import ALL, printed


def test_what_the_register_says_is_true_as_it_stands(service: LetterService) -> None:
    """A name with a digit, a NIK of another day and sex, a sect: warned of, and printed."""
    odd = {"nama": "SITI 2 O'BRIEN, S.Pd.", "nik": "3175060101700001", "agama": "Sunda Wiwitan"}
    issued = issue(service, DOMISILI | odd, basis=Basis(level="pin", sources=dict.fromkeys(ALL, "register")))
    shown = printed(service, issued)
    assert all(value in shown for value in odd.values())
    assert {warning.partition(":")[0] for warning in issued.warnings} == {
        *("Nama lengkap", "NIK", "Agama", "Jenis kelamin")
    }


def test_a_register_value_that_cannot_be_printed_makes_no_letter(service: LetterService) -> None:
    with pytest.raises(lettertype.InvalidFields):
        issue(service, DOMISILI | {"nama": "李小龍"}, basis=Basis(level="pin", sources=ALL))


@pytest.mark.parametrize("phone", ["+62 (rusak)", "+", "0812", "tidak ada"])
def test_what_the_register_has_as_a_phone_number_is_printed_though_it_is_none(
    phone: str, service: LetterService
) -> None:
    answers = ANSWERS["surat_keterangan_usaha"] | {"telepon": phone}
    basis = Basis(level="pin", sources={"telepon": "register"})
    assert phone in printed(service, issue(service, answers, letter="surat_keterangan_usaha", basis=basis))


@pytest.mark.parametrize("nik", ["12", "31A", "belum ada"])
def test_a_register_nik_of_another_length_is_printed_and_stands_in_no_statement(
    nik: str, service: LetterService
) -> None:
    answers = ANSWERS["surat_keterangan_kematian"] | {"nik_almarhum": nik}
    basis = Basis(level="pin", sources={"nik_almarhum": "register"})
    issued = issue(service, answers, letter="surat_keterangan_kematian", basis=basis)
    row = service.ledger.by_number(issued.number)
    assert row is not None and row.status == "issued" and nik in printed(service, issued)
    letter = service.catalogue.types["surat_keterangan_kematian"]
    assert statement.stated(letter, row.values, row.number, row.day).nik_last4 == ""


def test_a_temporary_nik_says_nothing_of_birth_and_sex(service: LetterService) -> None:
    """The office numbered somebody without a NIK: the digits are its own code and a running number."""
    basis = Basis(level="pin", sources={"nik": "register"})
    issued = issue(service, DOMISILI | {"nik": "0317506015012345", "jenis_kelamin": "Laki-laki"}, basis=basis)
    assert {warning.partition(":")[0] for warning in issued.warnings} == {"NIK", "NIK sementara tidak dicetak."}


def test_a_temporary_nik_is_not_printed_and_not_in_the_qr_code(service: LetterService) -> None:
    nik = "0317506450890001"
    issued = issue(service, DOMISILI | {"nik": nik}, basis=Basis(level="pin", sources=ALL))
    row = service.ledger.by_number(issued.number)
    assert nik not in printed(service, issued) and "NIK sementara tidak dicetak." in issued.warnings
    letter = service.catalogue.types["surat_keterangan_domisili"]
    assert row is not None and statement.stated(letter, row.values, row.number, row.day).nik_last4 == ""
