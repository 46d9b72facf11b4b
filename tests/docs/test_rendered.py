"""What is rendered from the code is not behind it (issue 9, Docs)."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest

from lab.tools import licences, sbom, structure
from lab.tools.__main__ import PAGES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.TARGET.name)
def test_a_rendered_page_says_what_the_code_says_now(page: Any) -> None:
    assert page.TARGET.read_text(encoding="utf-8") == page.render(), "render it by: python -m lab.tools"


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
