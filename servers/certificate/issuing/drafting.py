"""Draws and signs the pages of a letter with a number. Stores nothing."""

from __future__ import annotations

from types import ModuleType

from servers.certificate.issuing.keys import OfficeKeys
from servers.certificate.languages import OfficeWords
from servers.certificate.letters.basis import DECLARED
from servers.certificate.letters.catalogue import Catalogue
from servers.certificate.letters.lettertype import LetterType
from servers.certificate.office import Office
from servers.certificate.register.records import Letter
from servers.certificate.signing.statement import sign, stated


def pages() -> ModuleType:
    """Import the module page at first use, since reportlab takes 0.3 s."""
    from servers.certificate.drawing import page

    return page


class Drafts:
    """Draws one office's letters."""

    def __init__(self, office: Office, catalogue: Catalogue, keys: OfficeKeys, verify_base_url: str) -> None:
        self._office, self._catalogue, self._keys, self._verify_base_url = office, catalogue, keys, verify_base_url

    @property
    def spoken(self) -> OfficeWords:
        """Return the words of the office's language."""
        return self._office.speech

    def type_of(self, row: Letter) -> LetterType | None:
        """Return the letter's type, or None if it is no longer offered."""
        return self._catalogue.types.get(row.letter_type)

    def verify_url(self, code: str) -> str:
        """Return the address that verifies a letter's code."""
        return f"{self._verify_base_url.rstrip('/')}/verify/{code}"

    def draw(self, letter: LetterType, row: Letter) -> bytes:
        """Return the letter's unsigned PDF."""
        statement = stated(letter, row.values, row.number, row.day, row.valid_until)
        issue = pages().Issue(
            number=row.number,
            day=row.day,
            code=row.code,
            verify_url=self.verify_url(row.code),
            statement=sign(statement, self._keys.statement),
            valid_until=row.valid_until,
        )
        return bytes(pages().render(letter, row.values, self._office, issue, row.day, row.basis or DECLARED))

    def sign(self, pdf: bytes) -> bytes:
        """Return the PDF with the office's signature."""
        return bytes(self._keys.signer.sign(pdf))
