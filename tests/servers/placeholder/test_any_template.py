"""Any template with any values is filled."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from servers.placeholder.fill import FormattingRule, fill
from servers.placeholder.formats import FORMATS

pytestmark = pytest.mark.slow
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text("ab1.-{}é😀", max_size=8)
JSON = SCALARS | st.lists(SCALARS, max_size=3)


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["{", "}", "A", "B", " ", "x", "{A}", "{B}", "\\"]), max_size=12).map("".join),
    st.dictionaries(st.sampled_from(["A", "B", "C"]), JSON),
    st.dictionaries(
        st.sampled_from(["A", "B"]),
        st.builds(FormattingRule, type=st.sampled_from([*FORMATS, "?"]), precision=st.none() | st.integers(0, 10)),
    ),
)
def test_any_template_with_any_values_gives_a_narrative(
    template: str, values: dict[str, Any], rules: dict[str, FormattingRule]
) -> None:
    filled = fill(template, values, rules)
    assert isinstance(filled.narrative, str)
    if "{" not in template:
        assert filled.narrative == template
