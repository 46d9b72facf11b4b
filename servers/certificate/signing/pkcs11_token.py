"""The office's key in a PKCS#11 token or HSM, through pyHanko. It never leaves the token; certificates stay files.

A session is opened for each signature, so that a token that was unplugged works again later. A PIN that the token
refused is not tried again: tokens lock themselves after a few attempts.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyhanko.config.pkcs11 import TokenCriteria

from servers.certificate.settings import Token
from servers.certificate.signing.officekey import OfficeKeyError, SigningWaits

log = logging.getLogger(__name__)


class TokenError(OfficeKeyError, SigningWaits):
    """The token can't sign now; signing may be tried again."""


class TokenKey:
    def __init__(self, token: Token, certificate: Any, chain: list[Any]) -> None:
        """Raises OfficeKeyError when the extra `pkcs11` isn't installed."""
        try:
            import pkcs11
            from pyhanko.sign.pkcs11 import PKCS11Signer, open_pkcs11_session
        except ImportError as error:
            raise OfficeKeyError("PKCS11_MODULE needs the extra: pip install 'agentd[pkcs11]'") from error
        self._token, self._certificate, self._chain = token, certificate, chain
        self._pkcs11, self._signer, self._open = pkcs11, PKCS11Signer, open_pkcs11_session
        self._lock = threading.Lock()  # a login applies to the whole process, not to one session
        self._refused: str | None = None

    @contextmanager
    def signer(self) -> Iterator[Any]:
        """Open a session and yield pyHanko's signer. Raises TokenError, also for failures inside the block."""
        if self._refused is not None:
            raise TokenError(self._refused)
        with self._lock:
            try:
                with self._session() as session:
                    yield self._signer(
                        session,
                        signing_cert=self._certificate,
                        ca_chain=self._chain,
                        key_label=self._token.key_label,
                        # Most tokens sign an elliptic curve's digest; few compute it themselves.
                        use_raw_mechanism=self._certificate.public_key.algorithm == "ec",
                    )
            except (self._pkcs11.PinIncorrect, self._pkcs11.PinLocked, self._pkcs11.PinInvalid) as error:
                self._refused = f"{self._named} refused the PIN ({type(error).__name__}); correct it and start again"
                raise TokenError(self._refused) from error
            except self._pkcs11.PKCS11Error as error:
                why = str(error) or type(error).__name__
                raise TokenError(f"{self._named} can't sign now ({why}); is it plugged in?") from error

    @property
    def _named(self) -> str:
        return f"the token `{self._token.label}` with the key `{self._token.key_label}`"

    def _session(self) -> Any:
        """Open a session; if that fails, reinitialise the module, which finds a token plugged in again."""
        try:
            return self._opened()
        except (self._pkcs11.PinIncorrect, self._pkcs11.PinLocked, self._pkcs11.PinInvalid):
            raise
        except self._pkcs11.PKCS11Error as error:
            log.warning("%s is looked for again: %s", self._named, error or type(error).__name__)
            self._pkcs11.lib(str(self._token.module)).reinitialize()
            return self._opened()

    def _opened(self) -> Any:
        criteria = TokenCriteria(label=self._token.label)
        return self._open(str(self._token.module), token_criteria=criteria, user_pin=self._token.pin)
