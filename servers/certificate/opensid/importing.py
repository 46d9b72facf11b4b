"""`letters import-opensid`: creates letter folders from an office's templates, and reports what could not be converted.

It overwrites no existing folder and replaces no shipped letter.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from servers.certificate.letters.catalogue import Catalogue
from servers.certificate.letters.lettertype import LetterTypeError, load
from servers.certificate.opensid.folder import Folder, made
from servers.certificate.opensid.source import templates
from servers.certificate.settings import SHIPPED_LETTERS


def import_letters(url: str, office: int | None, target: Path, dry: bool) -> tuple[str, bool]:
    """Return (a table with a line per template, whether all could be converted). Raises SourceError, OSError."""
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
    """Return (the result, reasons for a failure). A folder appears complete, and only if it loads as a letter."""
    final = target / folder.key
    if folder.lost:
        return "not made", ()
    if final.exists():
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
            draft.rename(final)
    return f"{'would be made' if dry else 'made'}: {folder.key}", ()


def _table(lines: list[tuple[str, str, str]]) -> str:
    if not lines:
        return "this office has no templates"
    titles, states = (max(len(line[at]) for line in lines) for at in (0, 1))
    return "\n".join(f"{title:{titles}}  {state:{states}}  {notes}".rstrip() for title, state, notes in lines)
