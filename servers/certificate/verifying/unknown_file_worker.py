"""The process that reads untrusted files: a program, started by `unknown_files`, that ends with its parent."""

from __future__ import annotations

import os
import resource
import sys
import threading

MOST_BYTES = 1024 * 2**20
"""Limit of the address space: examining a letter takes a tenth of it."""


def main(parent: int) -> None:
    """Answer each (PDF, CA certificates in PEM) with its finding, until standard input ends."""
    from servers.certificate.signing.officekey import of_pem
    from servers.certificate.signing.signing import examine
    from servers.common.sqlite_worker import end_with, receive, send

    threading.Thread(target=end_with, args=(parent,), name="parent", daemon=True).start()
    os.umask(0o077)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    while (question := receive(sys.stdin.buffer)) is not None:
        pdf, roots = question
        send(sys.stdout.buffer, examine(pdf, of_pem(roots)))
