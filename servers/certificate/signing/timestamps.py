"""The RFC 3161 timestamp of a letter's signature, from an authority's URL, through pyHanko. Signs nothing.

Any failure of the authority (no answer, slowness, refusal, an invalid answer) is a TimestampRequestError, which is an
OSError: the letter is not at fault and may be retried.
"""

from __future__ import annotations

import io
from typing import Any

from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.timestamps.aiohttp_client import HTTPTimeStamper
from pyhanko.sign.timestamps.common_utils import TimestampRequestError
from pyhanko.sign.validation import validate_pdf_signature
from pyhanko_certvalidator import ValidationContext

from servers.certificate.settings import Timestamp
from servers.certificate.signing.officekey import certificates


class Authority(HTTPTimeStamper):
    """One authority. `timeout_s` limits each request as a whole; the first signature sends two (one for the size)."""

    def __init__(self, settings: Timestamp) -> None:
        """Raises OfficeKeyError if its CA can't be read."""
        super().__init__(settings.url, timeout=settings.timeout_s)
        self.required = settings.required
        self._roots = certificates(settings.ca_file) if settings.ca_file else []

    async def async_timestamp(self, message_digest: bytes, md_algorithm: str) -> Any:
        """Request the timestamp token. Raises TimestampRequestError."""
        try:
            return await super().async_timestamp(message_digest, md_algorithm)
        except OSError as error:
            why = error.__cause__ or error
            raise TimestampRequestError(f"{self.url} gave no timestamp ({type(why).__name__}: {why})") from error
        except Exception as error:
            # An answer that isn't valid ASN.1 fails anywhere in the parser.
            raise TimestampRequestError(f"{self.url} gave no timestamp ({type(error).__name__})") from error

    def check(self, pdf: bytes) -> None:
        """Check that the timestamp is for this signature and, if the authority's CA is known, from that authority.

        Raises TimestampRequestError.
        """
        signature = PdfFileReader(io.BytesIO(pdf)).embedded_regular_signatures[0]
        known = ValidationContext(trust_roots=self._roots, allow_fetching=False)
        found = validate_pdf_signature(signature, known, ts_validation_context=known).timestamp_validity
        if found is None or not (found.intact and found.valid and (found.trusted or not self._roots)):
            raise TimestampRequestError(f"{self.url} gave a timestamp that doesn't hold")
