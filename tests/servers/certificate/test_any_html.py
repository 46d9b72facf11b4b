"""A template of OpenSID whose HTML is broken anywhere."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servers.certificate.opensid.page import blocks


@pytest.mark.parametrize("piece", ["<!--", "<x ", "<a href=", "<![CDATA[", "</", "<p><b>", "<tr><td>", "<style>"])
def test_a_page_of_pieces_that_never_end_is_read_at_once(piece: str) -> None:
    start = time.process_time()
    assert blocks("<p>Menerangkan</p>" + piece * 20_000)[0].text == "Menerangkan"
    assert time.process_time() - start < 5


@pytest.mark.slow
@given(st.text(alphabet="<>/tdrpable= \"'&;[]aZ\n", max_size=200))
def test_broken_html_is_read_as_far_as_it_goes(html: str) -> None:
    assert all(cell.strip() for block in blocks(html) for cell in block.cells)
