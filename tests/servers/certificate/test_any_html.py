"""A template of OpenSID whose HTML is broken anywhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servers.certificate.opensid.page import blocks

pytestmark = pytest.mark.slow


@given(st.text(alphabet="<>/tdrpable= \"'&;[]aZ\n", max_size=200))
def test_broken_html_is_read_as_far_as_it_goes(html: str) -> None:
    assert all(cell.strip() for block in blocks(html) for cell in block.cells)
