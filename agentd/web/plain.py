"""A page without scripts: a heading and what stands below it. It escapes nothing."""

from __future__ import annotations

_PAGE = """<!doctype html>
<html lang="{language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>{title}</title>
<link rel="icon" href="/web/icon.svg"><link rel="stylesheet" href="/web/base.css"></head>
<body class="plain"><main><h1>{title}</h1>{body}</main></body></html>
"""


def plain(language: str, title: str, body: str) -> str:
    """The page as HTML; `title` and `body` are HTML, too."""
    return _PAGE.format(language=language, title=title, body=body)
