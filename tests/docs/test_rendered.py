"""What is rendered from the code can be, and what of it is tracked is not behind the code (issue 9, Docs)."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest

from lab.tools import client_schema, licences, sbom, structure
from lab.tools.__main__ import PAGES
from tests.docs.pages import rendered
from tests.docs.test_structure import LONGEST


def test_the_schema_of_client_toml_says_what_the_code_says_now() -> None:
    assert client_schema.TARGET.read_text(encoding="utf-8") == client_schema.render(), (
        "render it by: python -m lab.tools"
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.TARGET.name)
def test_a_rendered_page_can_be_read_and_is_not_tracked(page: Any) -> None:
    text = page.render()
    assert rendered(page.TARGET)
    assert page.TARGET.suffix != ".md" or (text.startswith("# ") and len(text.splitlines()) <= LONGEST)


def test_the_drawing_shows_every_module_once_inside_the_sheet() -> None:
    drawing = ElementTree.fromstring(structure.render())
    _, _, width, height = map(float, drawing.attrib["viewBox"].split())
    graph = structure.imports()
    boxes, _ = structure.laid_out(structure.reduced(graph), structure.levels(graph))
    assert boxes.keys() == graph.keys()
    assert len({(box.x, box.y) for box in boxes.values()}) == len(boxes)
    for box in boxes.values():
        assert 0 < box.x < box.x + box.width < width
        assert 0 < box.y < box.y + structure.HEIGHT < height


def test_an_arrow_that_follows_from_others_is_left_out_and_a_circle_is_named() -> None:
    graph = {"a": frozenset({"b", "c"}), "b": frozenset({"c"}), "c": frozenset[str]()}
    assert structure.reduced(graph)["a"] == {"b"}
    with pytest.raises(ValueError, match="a → b → a"):
        structure.reduced({"a": frozenset({"b"}), "b": frozenset({"a"})})


def test_no_locked_package_is_without_a_stated_licence() -> None:
    assert [name for name in licences.locked() if licences.licence(name) == licences.NOT_STATED] == []


@pytest.mark.slow
def test_the_bill_of_materials_names_every_locked_package() -> None:
    bill = json.loads(sbom.render())
    assert bill["bomFormat"] == "CycloneDX"
    assert {component["name"] for component in bill["components"]} == set(licences.locked())
    assert all(component["version"] and component["purl"] for component in bill["components"])
