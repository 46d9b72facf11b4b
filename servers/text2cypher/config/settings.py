"""The settings of the loop: its limits, folders and additions to the original pipeline. Names no model."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path

AID_NAMES = ("grammar", "linking", "examples", "execution")


@dataclass(frozen=True)
class Aids:
    """The optional additions to the original pipeline; `candidates` above 1 writes several queries per turn.

    grammar: the model can only write what the schema allows; linking: the question's words are linked to the graph, as
    hints in the prompt and, with grammar, as readings of which the first is used; examples: few-shot examples are
    picked by similarity; execution: readings or candidates that find nothing are dropped.
    """

    grammar: bool = True
    linking: bool = True
    examples: bool = True
    execution: bool = True
    candidates: int = 1

    @classmethod
    def none(cls) -> Aids:
        """The original pipeline without additions."""
        return cls(False, False, False, False)

    @classmethod
    def parse(cls, text: str, candidates: int = 1) -> Aids:
        """`default`, `all`, `none`, or comma-separated names; `all,-linking` excludes one. Raises ValueError."""
        presets = {"default": cls(), "all": cls(), "none": cls.none()}
        chosen = cls.none()
        for word in filter(None, (part.strip() for part in text.split(","))):
            name = word.lstrip("-")
            if name in presets:
                chosen = presets[name]
            elif name in AID_NAMES:
                chosen = replace(chosen, **{name: not word.startswith("-")})
            else:
                raise ValueError(f"{name!r} is no aid; choose of default, all, none, {', '.join(AID_NAMES)}")
        return replace(chosen, candidates=candidates)

    def as_text(self) -> str:
        """The names of the active aids, for reports."""
        on = [field.name for field in fields(self) if field.name in AID_NAMES and getattr(self, field.name)]
        return (", ".join(on) or "none") + (f", {self.candidates} candidates" if self.candidates > 1 else "")


@dataclass(frozen=True)
class Settings:
    """`delay_s`: pause between model calls (rate limit); `examples`: number of examples in a few-shot prompt."""

    max_iterations: int = 3
    project_root: Path = Path()
    results_dir: Path = Path("results")
    delay_s: float = 0.0
    examples: int = 3
    aids: Aids = Aids()
