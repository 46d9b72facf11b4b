"""`python -m lab.tools`: render every generated page of docs/ again. tests/docs checks that they match the code."""

from __future__ import annotations

from typing import Any

from lab.figures.pages import fill
from lab.tools import client_schema, configuration, licences, openrpc, rpc, structure

PAGES: tuple[Any, ...] = (configuration, client_schema, openrpc, rpc, *rpc.PAGES, structure, licences)


def main() -> None:
    """Write every page and fill in the figures."""
    for page in PAGES:
        page.TARGET.parent.mkdir(exist_ok=True)
        page.TARGET.write_text(page.render(), encoding="utf-8")
    fill()


if __name__ == "__main__":
    main()
