"""Snapshots of processed prompts: a damaged one never reaches the library, which would abort the process."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentd.messages import ChatMessage
from bridges.llamacpp.snapshots import KEEP, SnapshotFolder, prefix_key, worth_keeping


def keep(folder: SnapshotFolder, key: str, content: bytes = b"state" * 1000) -> Path:
    draft = folder.draft(key, 1)
    (folder.folder / draft).write_bytes(content)
    folder.publish(key, draft)
    return folder.folder / folder.file_name(key)


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: b"X" + data[1:], lambda data: b""])
def test_a_damaged_snapshot_is_removed_instead_of_used(tmp_path: Path, damage: object) -> None:
    folder = SnapshotFolder(tmp_path)
    path = keep(folder, "k")
    assert folder.usable("k")
    path.write_bytes(damage(path.read_bytes()))  # type: ignore[operator]
    assert not folder.usable("k")
    assert list(tmp_path.iterdir()) == []


def test_a_snapshot_without_its_note_is_not_used(tmp_path: Path) -> None:
    folder = SnapshotFolder(tmp_path)
    keep(folder, "k")
    (tmp_path / "k.note").unlink()
    assert not folder.usable("k")


def test_only_the_most_recently_used_are_kept(tmp_path: Path) -> None:
    folder = SnapshotFolder(tmp_path)
    for number in range(KEEP + 3):
        os.utime(keep(folder, f"k{number}"), (number, number))
    keep(folder, "newest")
    assert len(list(tmp_path.glob("*.slot"))) == KEEP
    assert len(list(tmp_path.glob("*.note"))) == KEEP
    assert folder.usable("newest")
    assert not folder.usable("k0")


def test_nobody_else_may_read_a_snapshot(tmp_path: Path) -> None:
    path = keep(SnapshotFolder(tmp_path / "s"), "k")
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0


def test_the_key_changes_with_the_weights_the_context_the_library_and_every_word(tmp_path: Path) -> None:
    gguf = tmp_path / "w.gguf"
    gguf.write_bytes(b"1")
    prefix = [ChatMessage(role="system", content="x" * 2000)]
    keys = {
        prefix_key(gguf, 4096, "1", prefix),
        prefix_key(gguf, 8192, "1", prefix),
        prefix_key(gguf, 4096, "2", prefix),
        prefix_key(gguf, 4096, "1", [ChatMessage(role="system", content="x" * 2001)]),
        prefix_key(gguf, 4096, "1", [ChatMessage(role="user", content="x" * 2000)]),
    }
    gguf.write_bytes(b"22")
    keys.add(prefix_key(gguf, 4096, "1", prefix))
    assert len(keys) == 6
    assert worth_keeping(prefix) and not worth_keeping([ChatMessage(role="system", content="short")])
