"""Renders docs/structure.svg, which shows who imports whom. It computes the layout; the arrows come from the imports.

A box is a top-level module or package of clients, agentd, hardening, bridges or servers. An arrow points from the
importer to the imported module; arrows implied by others (a → b → c implies a → c) are left out. Dashed arrows are
joints made at run time, without an import.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import grimp

TARGET = Path(__file__).parents[2] / "docs" / "structure.svg"
PANELS = ("clients", "agentd", "bridges", "servers", "hardening")
COLOURS = dict(zip(PANELS, ("#f3e8fd", "#e8f0fe", "#e6f4ea", "#fef7e0", "#f1f3f4"), strict=True))
HEIGHT, GAP, ROW, MARGIN, LETTER = 26, 22, 64, 20, 7.2
ABREAST = 6
"""A longer row continues above, where a panel has room."""

Graph = Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Box:
    """One module on the drawing; x and y of its upper left corner, in pixels."""

    x: float
    y: float
    width: float

    @property
    def top(self) -> tuple[float, float]:
        """The point where arrows arrive."""
        return self.x + self.width / 2, self.y

    @property
    def bottom(self) -> tuple[float, float]:
        """The point where arrows start."""
        return self.x + self.width / 2, self.y + HEIGHT


def render() -> str:
    """The drawing as SVG."""
    graph = reduced(imports())
    boxes, frames = laid_out(graph, levels(graph))
    width = max(x + wide for x, _, wide, _ in frames.values()) + MARGIN
    height = max(y + high for _, y, _, high in frames.values()) + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" font-family="sans-serif" font-size="12" role="img" '
        'aria-label="Who imports whom in clients, agentd, bridges, servers and hardening">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#667"/></marker></defs>',
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#fff"/>',
        *_frames(frames),
        *_arrows(graph, boxes),
        *_joints(boxes, frames),
        *_boxes(boxes),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def imports() -> Graph:
    """{module: modules it imports}, both reduced to their boxes; modules without any import in or out are left out."""
    graph = grimp.build_graph(*PANELS, cache_dir=None)
    found: dict[str, set[str]] = {}
    for module in sorted(graph.modules):
        importer = _cut(module)
        for imported in map(_cut, graph.find_modules_directly_imported_by(module)):
            if imported != importer and "." in imported and "." in importer:
                found.setdefault(importer, set()).add(imported)
                found.setdefault(imported, set())
    return {module: frozenset(found[module]) for module in sorted(found)}


def _cut(module: str) -> str:
    """The module's box: two names, or three for an app; an app's command belongs to agentd.cli."""
    parts = module.split(".")
    if parts[:2] == ["agentd", "apps"]:
        return "agentd.cli" if parts[3:] and parts[-1].endswith("command") else ".".join(parts[:3])
    return ".".join(parts[:2])


def reduced(graph: Graph) -> Graph:
    """The graph without implied arrows. Raises ValueError for a cycle, which cannot be drawn in levels."""
    behind: dict[str, frozenset[str]] = {}

    def reach(module: str, way: tuple[str, ...]) -> frozenset[str]:
        if module in way:
            raise ValueError(f"the imports go in a circle: {' → '.join((*way[way.index(module) :], module))}")
        if module not in behind:
            direct = graph[module]
            behind[module] = direct.union(*(reach(next_, (*way, module)) for next_ in sorted(direct)))
        return behind[module]

    for module in graph:
        reach(module, ())
    return {
        module: frozenset(one for one in direct if not any(one in behind[other] for other in direct if other != one))
        for module, direct in graph.items()
    }


def levels(graph: Graph) -> dict[str, int]:
    """The length of the longest import chain below each module."""
    known: dict[str, int] = {}

    def level(module: str) -> int:
        if module not in known:
            known[module] = 1 + max((level(one) for one in graph[module]), default=-1)
        return known[module]

    return {module: level(module) for module in graph}


def laid_out(
    graph: Graph, level: Mapping[str, int]
) -> tuple[dict[str, Box], dict[str, tuple[float, float, float, float]]]:
    """The boxes, and each panel's frame (x, y, width, height). Rows are levels, the highest on top."""
    highest = max(level.values())
    boxes: dict[str, Box] = {}
    frames: dict[str, tuple[float, float, float, float]] = {}
    left = float(MARGIN)
    for panel in PANELS:
        rows = _rows([module for module in sorted(graph) if module.startswith(f"{panel}.")], level, highest)
        wide = max(_row_width(row) for row in rows)
        for one, row in enumerate(rows):
            ordered = sorted(row, key=lambda module: (_middle(graph[module], boxes), module))
            x = left + MARGIN / 2 + (wide - _row_width(ordered)) / 2
            for module in ordered:
                boxes[module] = Box(x, MARGIN + 30 + (highest - one) * ROW, _width(module))
                x += _width(module) + GAP
        frames[panel] = (left, MARGIN, wide + MARGIN, 40 + (highest + 1) * ROW - (ROW - HEIGHT) + MARGIN / 2)
        left += wide + MARGIN + 3 * GAP
    return boxes, frames


def _rows(modules: Sequence[str], level: Mapping[str, int], highest: int) -> list[list[str]]:
    """The modules by level, lowest first. A long top row is split into pairs if enough levels above it are free."""
    top = max(level[module] for module in modules)
    rows = [[module for module in modules if level[module] == one] for one in range(highest + 1)]
    pile = rows[top]
    pairs = [pile[start : start + 2] for start in range(0, len(pile), 2)]
    if len(pile) > ABREAST and len(pairs) <= highest + 1 - top:
        rows[top : top + len(pairs)] = pairs
    return rows


def _middle(imported: frozenset[str], boxes: Mapping[str, Box]) -> float:
    """The mean x of the modules below; ordering by it reduces crossing arrows."""
    places = [boxes[one].top[0] for one in imported if one in boxes]
    return sum(places) / len(places) if places else 0.0


def _width(module: str) -> float:
    return len(module.partition(".")[2]) * LETTER + 18


def _row_width(row: Sequence[str]) -> float:
    return sum(map(_width, row)) + GAP * max(len(row) - 1, 0)


def _frames(frames: Mapping[str, tuple[float, float, float, float]]) -> Iterator[str]:
    for panel, (x, y, wide, high) in frames.items():
        yield (
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}" rx="8" '
            f'fill="{COLOURS[panel]}" stroke="#ccd"/>'
        )
        yield f'<text x="{x + 10:.1f}" y="{y + 18:.1f}" font-weight="bold">{panel}/</text>'


def _arrows(graph: Graph, boxes: Mapping[str, Box]) -> Iterator[str]:
    for module in graph:
        for imported in sorted(graph[module]):
            (x1, y1), (x2, y2) = boxes[module].bottom, boxes[imported].top
            bend = max((y2 - y1) / 2, 12)
            yield (
                f'<path d="M{x1:.1f} {y1:.1f}C{x1:.1f} {y1 + bend:.1f} {x2:.1f} {y2 - bend:.1f} {x2:.1f} {y2:.1f}" '
                'fill="none" stroke="#667" stroke-width="1" marker-end="url(#tip)"/>'
            )


def _joints(boxes: Mapping[str, Box], frames: Mapping[str, tuple[float, float, float, float]]) -> Iterator[str]:
    """The two joints without an import: agentd finds bridges by entry point, bridges start servers by a command."""
    for start, panel, words in (("agentd.plugins", "bridges", "entry points"), ("bridges.mcp", "servers", "MCP")):
        box, (left, *_) = boxes[start], frames[panel]
        x, y = box.x + box.width - 8, box.y - 14
        yield (
            f'<path d="M{x:.1f} {box.y:.1f}V{y:.1f}H{left:.1f}" stroke="#b35" stroke-width="1.2" '
            'stroke-dasharray="5 3" fill="none" marker-end="url(#tip)"/>'
        )
        yield f'<text x="{left - 4:.1f}" y="{y - 5:.1f}" text-anchor="end" fill="#b35" font-size="11">{words}</text>'


def _boxes(boxes: Mapping[str, Box]) -> Iterator[str]:
    for module, box in boxes.items():
        x, y = box.top
        yield (
            f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{HEIGHT}" rx="4" '
            'fill="#fff" stroke="#556"/>'
        )
        yield f'<text x="{x:.1f}" y="{y + 17:.1f}" text-anchor="middle">{escape(module.partition(".")[2])}</text>'
