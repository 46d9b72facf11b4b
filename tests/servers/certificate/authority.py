"""A real RFC 3161 timestamp authority for tests: `openssl ts` behind a small HTTP server. Not a test."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests import http_server

CONFIG = """
[tsa]
default_tsa = here
[here]
serial = {folder}/serial
crypto_device = builtin
signer_cert = {folder}/tsa.pem
certs = {folder}/ca.pem
signer_key = {folder}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha384, sha512
accuracy = secs:1
ess_cert_id_chain = no
ess_cert_id_alg = sha256
[stamping]
extendedKeyUsage = critical,timeStamping
keyUsage = critical,digitalSignature
[ca]
basicConstraints = critical,CA:true
keyUsage = critical,keyCertSign
subjectKeyIdentifier = hash
"""


class Authority:
    """One authority: its `url`, its CA certificate `ca`, and `reply`, which if set is sent instead of a token."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = ""
        self.asked = 0
        self.reply: bytes | None = None
        self.silent = threading.Event()
        self.silent.set()  # while cleared, the authority accepts requests but does not answer
        folder.mkdir()
        (folder / "serial").write_text("01\n")
        (folder / "tsa.cnf").write_text(CONFIG.format(folder=folder))
        self._certify("ca", "/CN=CA waktu", "ca", "-signkey", f"{folder}/ca.key")
        self._certify("tsa", "/CN=Penanda waktu", "stamping", "-CA", self.ca, "-CAkey", f"{folder}/ca.key")

    @property
    def ca(self) -> str:
        return str(self.folder / "ca.pem")

    def answer(self, query: bytes) -> bytes:
        """The reply of `openssl ts`, or `reply` if set."""
        self.asked += 1
        if self.reply is not None:
            return self.reply
        file = self.folder / f"{threading.get_ident()}.tsq"
        file.write_bytes(query)
        return self._openssl("ts", "-reply", "-queryfile", file, "-config", self.folder / "tsa.cnf")

    def _certify(self, name: str, subject: str, extensions: str, *by: str) -> None:
        key, request, cert = (str(self.folder / f"{name}.{kind}") for kind in ("key", "csr", "pem"))
        self._openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key)
        self._openssl("req", "-new", "-key", key, "-subj", subject, "-out", request)
        config = ("-extfile", self.folder / "tsa.cnf", "-extensions", extensions)
        self._openssl("x509", "-req", "-in", request, "-days", "30", "-sha256", "-out", cert, *config, *by)

    def _openssl(self, *words: object) -> bytes:
        return subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True, timeout=300).stdout


@contextmanager
def serving(authority: Authority) -> Iterator[Authority]:
    """Serve the authority while the block runs; serving it again uses the same port."""

    class Handler(http_server.Handler):
        def do_POST(self) -> None:
            query = self.body()
            authority.silent.wait(30)
            self.answer(authority.answer(query), "application/timestamp-reply")

    port = int(authority.url.rpartition(":")[2] or 0) if authority.url else 0
    with http_server.serving(Handler, port) as authority.url:
        try:
            yield authority
        finally:
            authority.silent.set()
