"""GET /artifacts: the files of a run, for whoever may see the run."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import aiohttp
import pytest

from agentd.messages import Artifact, Caller
from tests.agentd.memory_runs import MemoryRun, MemoryRuns
from tests.agentd.twins import Wire, wire

PDF = b"%PDF-1.7 surat"


def letters(folder: Path, *names: str):  # type: ignore[no-untyped-def]
    async def work(run: MemoryRun) -> str:
        made = []
        for name in names:
            path = folder / name
            path.write_bytes(PDF)
            media_type = "application/pdf" if name.endswith(".pdf") else "text/html"
            uri = f"/artifacts/{run.outcome.run_id}/{name}"
            digest = sha256(PDF).hexdigest()
            made.append(Artifact(name=name, uri=uri, media_type=media_type, sha256=digest, path=str(path)))
        run.update(artifacts=tuple(made))
        return "terbit"

    return work


async def run(at: Wire, **headers: str) -> None:
    call = {"jsonrpc": "2.0", "method": "Agent.run", "params": {"prompt": "surat", "run_id": "r-1"}, "id": 1}
    async with aiohttp.ClientSession() as session, session.post(at.url + "/rpc", json=call, headers=headers) as answer:
        assert "result" in await answer.json()


async def test_the_letter_is_served_with_its_type_and_hash(tmp_path: Path) -> None:
    async with wire(tmp_path, work=letters(tmp_path, "Surat Domisili.pdf")) as at, aiohttp.ClientSession() as session:
        await run(at)
        async with session.get(at.url + "/artifacts/r-1/Surat%20Domisili.pdf") as answer:
            assert await answer.read() == PDF
            assert answer.headers["Content-Type"] == "application/pdf"
            assert answer.headers["Content-Disposition"] == "inline; filename*=UTF-8''Surat%20Domisili.pdf"
            assert answer.headers["X-SHA256"] == sha256(PDF).hexdigest()
            assert answer.headers["Cache-Control"] == "private, no-store"


async def test_what_a_browser_could_run_is_downloaded_not_shown(tmp_path: Path) -> None:
    async with wire(tmp_path, work=letters(tmp_path, "a.html")) as at, aiohttp.ClientSession() as session:
        await run(at)
        async with session.get(at.url + "/artifacts/r-1/a.html") as answer:
            assert answer.headers["Content-Disposition"].startswith("attachment")
            assert answer.headers["Content-Security-Policy"].startswith("sandbox")


@pytest.mark.parametrize(
    "path",
    ["r-1/b.pdf", "r-2/a.pdf", "r-1/..%2Faccess.json", "r-1/%2Fetc%2Fpasswd", "r-1/", "../access.json", "r-1/a.pdf/x"],
)
async def test_nothing_but_the_runs_own_files_is_found(tmp_path: Path, path: str) -> None:
    (tmp_path / "access.json").write_text('{"principals": []}')
    async with wire(tmp_path, work=letters(tmp_path, "a.pdf")) as at, aiohttp.ClientSession() as session:
        await run(at)
        async with session.get(f"{at.url}/artifacts/{path}") as answer:
            assert (answer.status, (await answer.json())["error"]["data"]["type"]) == (404, "not_found")


async def test_a_letter_of_somebody_else_is_not_found(tmp_path: Path) -> None:
    async with wire(tmp_path, work=letters(tmp_path, "a.pdf")) as at, aiohttp.ClientSession() as session:
        await run(at)
        for scope, status in (("kiosk", 404), ("admin", 200)):
            token = at.tokens.add(f"a-{scope}", frozenset({scope}), now=datetime(2026, 1, 5, tzinfo=UTC))  # type: ignore[arg-type]
            headers = {"Authorization": f"Bearer {token}"}
            async with session.get(at.url + "/artifacts/r-1/a.pdf", headers=headers) as answer:
                assert answer.status == status


async def test_a_store_that_is_gone_is_a_plain_internal_error(tmp_path: Path) -> None:
    class Gone(MemoryRuns):
        async def artifact(self, run_id: str, name: str, caller: Caller) -> tuple[Artifact, Path]:
            raise ConnectionError("postgresql://agent:geheim@db")

    async with (
        wire(tmp_path, runs=Gone()) as at,
        aiohttp.ClientSession() as session,
        session.get(at.url + "/artifacts/r-1/a.pdf") as answer,
    ):
        body = await answer.text()
        assert (answer.status, "geheim" in body, '"internal"' in body) == (500, False, True)


async def test_a_file_that_was_removed_is_gone_and_its_place_stays_unsaid(tmp_path: Path) -> None:
    async with wire(tmp_path, work=letters(tmp_path, "a.pdf")) as at, aiohttp.ClientSession() as session:
        await run(at)
        (tmp_path / "a.pdf").unlink()
        async with session.get(at.url + "/artifacts/r-1/a.pdf") as answer:
            body = await answer.text()
            assert answer.status == 404
            assert str(tmp_path) not in body
