"""Questions saved under a name, to be asked again: `agentd books ask --saved NAME`. It asks nobody."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path


class NotSaved(KeyError):
    """No question has this name; the text says which there are."""


@dataclass(frozen=True, slots=True)
class Saved:
    """A question and its plan style (None: the configured one)."""

    question: str
    style: str | None = None


class SavedQuestions:
    """The saved questions of a state folder, in `analytics/saved.json`."""

    def __init__(self, state: Path) -> None:
        self._file = state / "analytics" / "saved.json"

    def all(self) -> dict[str, Saved]:
        """The questions by name. Raises ValueError if the file can't be parsed."""
        if not self._file.is_file():
            return {}
        content = json.loads(self._file.read_text(encoding="utf-8"))
        return {name: Saved(**each) for name, each in content.items()}

    def named(self, name: str) -> Saved:
        """The question saved under a name. Raises NotSaved."""
        known = self.all()
        if name not in known:
            raise NotSaved(f"no question is saved as {name!r}; there are: {', '.join(sorted(known)) or 'none'}")
        return known[name]

    def save(self, name: str, question: Saved) -> None:
        """Saves a question under a name, replacing an earlier one."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        content = {key: asdict(each) for key, each in ({**self.all(), name: question}).items()}
        beside = self._file.with_suffix(".new")
        beside.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        beside.replace(self._file)
