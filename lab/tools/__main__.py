"""`python -m lab.tools`: render what comes from the code: the untracked pages of docs/, and client.toml's schema."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from lab.figures.pages import fill
from lab.tools import client_schema, configuration, licences, openrpc, rpc, structure

PAGES: tuple[Any, ...] = (configuration, openrpc, rpc, *rpc.PAGES, structure, licences)


def write(pages: Iterable[Any]) -> None:
    """Write each page where it belongs."""
    for page in pages:
        page.TARGET.parent.mkdir(exist_ok=True)
        page.TARGET.write_text(page.render(), encoding="utf-8")


def main() -> None:
    """Write all of them and fill in the figures."""
    argparse.ArgumentParser(prog="python -m lab.tools", description=__doc__).parse_args()
    write([*PAGES, client_schema])
    fill()


if __name__ == "__main__":
    main()
