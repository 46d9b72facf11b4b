"""Renders a PDF's pages as PNG pictures."""

from __future__ import annotations

import io

import pypdfium2


def pictures(pdf: bytes, dpi: int) -> list[bytes]:
    """Return each page as a grayscale PNG."""
    with pypdfium2.PdfDocument(pdf) as document:
        images = [page.render(scale=dpi / 72).to_pil() for page in document]
    files = []
    for image in images:
        buffer = io.BytesIO()
        image.convert("L").save(buffer, "PNG")
        files.append(buffer.getvalue())
    return files
