"""`letters import-opensid`: letter folders from an office's own templates, and what of them could not be carried over.

No folder that is there is overwritten, and none of the letters that ship.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from servers.certificate.catalogue import Catalogue
from servers.certificate.lettertype import LetterTypeError, load
from servers.certificate.opensid.folder import Folder, made
from servers.certificate.opensid.source import templates
from servers.certificate.settings import SHIPPED_LETTERS


def import_letters(url: str, office: int | None, target: Path, dry: bool) -> tuple[str, bool]:
    """(a table: a line for each template, whether all could be made). Raises SourceError, OSError."""
    taken = {path.name for path in SHIPPED_LETTERS.iterdir()}
    series = {letter.series for letter in Catalogue((SHIPPED_LETTERS, target)).types.values()}
    lines: list[tuple[str, str, str]] = []
    for template in templates(url, office):
        folder = made(template, taken, series)
        taken.add(folder.key)
        series.add(folder.series)
        state, fault = _kept(folder, target, dry)
        lines.append((folder.title, state, "; ".join((*folder.lost, *fault, *folder.notes))))
    return _table(lines), all(state != "not made" for _, state, _ in lines)


def _kept(folder: Folder, target: Path, dry: bool) -> tuple[str, tuple[str, ...]]:
    """(what became of it, why not). A folder appears whole, and only when it can be read as a letter."""
    place = target / folder.key
    if folder.lost:
        return "not made", ()
    if place.exists():
        return f"there already: {folder.key}", ()
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".import-", dir=target) as making:
        draft = Path(making) / folder.key
        draft.mkdir()
        (draft / "letter.toml").write_text(folder.toml, encoding="utf-8")
        (draft / "letter.txt").write_text(folder.text, encoding="utf-8")
        try:
            load(draft)
        except LetterTypeError as error:
            return "not made", (str(error).rpartition("letter.toml: ")[2],)
        if not dry:
            draft.rename(place)
    return f"{'would be made' if dry else 'made'}: {folder.key}", ()


def _table(lines: list[tuple[str, str, str]]) -> str:
    if not lines:
        return "this office has no templates"
    titles, states = (max(len(line[at]) for line in lines) for at in (0, 1))
    return "\n".join(f"{title:{titles}}  {state:{states}}  {notes}".rstrip() for title, state, notes in lines)
