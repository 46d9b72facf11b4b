"""`agentd doctor` on machines that lack something: it says what, and what to do."""

from __future__ import annotations

import json
import socket
import subprocess
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from agentd import config
from agentd.apps import server_command
from agentd.apps.setup.books_findings import books as books_of
from agentd.apps.setup.doctor_command import to_do
from agentd.apps.setup.findings import Finding
from agentd.apps.setup.letters_findings import examples, office
from lab.eval.books import build
from tests import warm
from tests.daemon import HEAD, SERVERS, server_entry

SAMPLE = Path(__file__).parents[4] / "profiles" / "kelurahan"


def doctor(folder: Path, config: str, listen: str = "127.0.0.1:0", state: Path | None = None) -> tuple[int, str]:
    """(exit code, the findings marked as `must`, with what to do)."""
    (folder / "client.toml").write_text(config)
    (folder / "script.jsonl").write_text('{"action":"final","response":"Halo"}\n')
    command = [warm.command(), "doctor", "--json", "--config", folder / "client.toml", "--listen", listen]
    done = subprocess.run([*command, "--state", state or folder / "state"], capture_output=True, text=True, timeout=300)
    musts = [one for one in json.loads(done.stdout) if one["mark"] == "must"]
    return done.returncode, "\n".join(f"{one['what']} → {one['to_do']}" for one in musts)


def test_a_machine_that_has_all_is_well(tmp_path: Path) -> None:
    assert doctor(tmp_path, HEAD + SERVERS["time"]) == (0, "")


def test_a_configuration_that_is_wrong_is_named_with_its_line(tmp_path: Path) -> None:
    code, told = doctor(tmp_path, HEAD + "[agnet]\n")
    assert code == 1
    assert "client.toml:9" in told
    assert "did you mean `agent`?" in told


def test_a_program_that_is_not_installed_is_named(tmp_path: Path) -> None:
    code, told = doctor(tmp_path, HEAD + SERVERS["time"].replace("python3", "no-such-program"))
    assert code == 1
    assert "server time: no program `no-such-program`" in told


def test_a_server_behind_a_url_that_is_not_there_is_named(tmp_path: Path) -> None:
    code, told = doctor(tmp_path, HEAD + '[[servers]]\nname = "far"\nurl = "http://127.0.0.1:9/mcp"\n')
    assert code == 1
    assert "nobody answers at http://127.0.0.1:9/mcp" in told


@pytest.mark.slow
@pytest.mark.parametrize("there", [True, False])
def test_the_books_database_is_looked_at(tmp_path: Path, there: bool) -> None:
    file = tmp_path / "own.db"
    if there:
        build("chinook", file)
    books = f'[books]\nurl = "sqlite+aiosqlite:///{file}"\n'
    server = server_entry("sim_testgeluran_server", "-m", "servers.sim_testgeluran")
    (tmp_path / "client.toml").write_text(HEAD + books + server)
    settings = config.load(str(tmp_path / "client.toml"), state=str(tmp_path / "state"))
    [found] = books_of(settings)
    if not there:
        assert (found.mark, "can't be reached" in found.what) == ("must", True)
        return
    assert (found.mark, found.what) == ("note", "books: own (sqlite), 9 tables, not as books.toml has them")
    assert server_command.run(settings, settings.server_of("books"), ["check"], capture=True).returncode == 0
    assert [each.what for each in books_of(settings)] == ["books: own (sqlite), 9 tables, as books.toml has them"]


def test_an_address_that_another_program_has_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        taken.settimeout(0)
        code, told = doctor(tmp_path, HEAD, listen=f"127.0.0.1:{taken.getsockname()[1]}")
    assert code == 1
    assert "choose another address by --listen" in told


def test_a_state_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    code, told = doctor(tmp_path, HEAD, state=tmp_path / "taken" / "state")
    assert code == 1
    assert "can't be written" in told


def test_no_model_at_all_says_how_to_get_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    gemini = HEAD.replace('"scripted"', '"gemini"').replace('script = "script.jsonl"', 'api_key = "GEMINI_API_KEY"')
    code, told = doctor(tmp_path, gemini)
    assert code == 1
    assert "agentd models pull" in told


def test_what_others_can_read_is_named(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    (state / "agentd.db").touch(mode=0o600)
    (state / "ca.cert.pem").touch()  # made to be given to everybody
    (state / "ca.cert.pem").chmod(0o644)
    assert doctor(tmp_path, HEAD + SERVERS["time"])[0] == 0
    (state / "agentd.db").chmod(0o640)
    code, told = doctor(tmp_path, HEAD + SERVERS["time"])
    assert code == 1
    assert f"{state / 'agentd.db'}: open to other users → chmod -R go-rwx {state}" in told


def test_why_no_letter_is_issued_is_named(tmp_path: Path) -> None:
    (tmp_path / "state/letters/2026").mkdir(parents=True, mode=0o700)
    (tmp_path / "state").chmod(0o700)
    (tmp_path / "state/letters").chmod(0o700)
    pdf = tmp_path / "state/letters/2026/letter.pdf"
    pdf.touch(mode=0o600)
    code, told = doctor(tmp_path, HEAD + SERVERS["certificate"])
    assert code == 1
    assert "there is no register" in told and "agentd letters repair" in told


def test_a_server_without_its_credential_is_told_by_doctor_and_config_check(tmp_path: Path) -> None:
    file = tmp_path / "client.toml"
    file.write_text(HEAD + SERVERS["certificate"] + 'credentials = ["office_key_phrase_nobody_has"]\n')
    said = [
        subprocess.run(
            [warm.command(), *words, "--config", file], capture_output=True, text=True, timeout=300, cwd=tmp_path
        )
        for words in (["doctor"], ["config", "check"])
    ]
    assert "server certificate is not started" in said[0].stdout
    assert "not started: server `certificate`" in said[1].stderr
    for text in (said[0].stdout, said[1].stderr):
        assert "`office_key_phrase_nobody_has` is missing: put it into /etc/agentd/credentials" in text


def test_the_list_of_what_to_do_ends_it_with_the_worst_first() -> None:
    found = [
        Finding("good", "a"),
        Finding("note", "no token", "add one"),
        Finding("must", "no disk", "free some"),
        Finding("note", "slow"),
        Finding("must", "no server", "start it"),
        Finding("must", "no other server", "start it"),
    ]
    told = "\n".join(to_do(found))
    assert (
        told.index("1. no disk")
        < told.index("2. no server\n   no other server\n   → start it")
        < told.index("3. no token")
        and "slow" not in told
    )
    assert to_do(found[:1]) == ["", "Nothing to do."]


def test_an_office_is_told_what_of_the_sample_would_stand_on_its_letters(tmp_path: Path) -> None:
    sample = (SAMPLE / "office.toml").read_text(encoding="utf-8")
    server = SimpleNamespace(env={})
    settings = SimpleNamespace(file=tmp_path / "client.toml", servers=[server], prompt_template="Serve citizens.")
    assert list(office(settings)) == [], "an office without a file of its own issues samples"
    (tmp_path / "office.toml").write_text(sample, encoding="utf-8")
    blanks, address = office(settings)
    assert "[NAMA LURAH]" in blanks.what and "/CONTOH/" in blanks.what and "Gratis" not in blanks.what
    assert "lead to http://127.0.0.1:8765" in address.what and "verify_base_url" in address.to_do
    own = sample.replace("[NAMA LURAH]", "BUDI").replace("[NIP LURAH]", "1").replace("/CONTOH/", "/")
    own = own.replace("[alamat kantor kelurahan]", "Jl. Raya 1").replace("[nomor telepon]", "021")
    (tmp_path / "office.toml").write_text(own, encoding="utf-8")
    server.env["VERIFY_BASE_URL"] = "https://surat.example.go.id"
    assert [one.what for one in office(settings)] == []
    shipped_prompt = tomllib.loads((SAMPLE / "client.toml").read_text(encoding="utf-8"))["prompt_template"]
    settings.prompt_template = shipped_prompt
    assert [one.what for one in office(settings)] == []
    (tmp_path / "office.toml").write_text(own.replace("CAKUNG BARAT", "SUMBER WARAS"), encoding="utf-8")
    [prompt] = office(settings)
    assert "another office" in prompt.what and "prompt_template" in prompt.to_do


def test_an_office_is_told_of_examples_with_a_letter_that_it_deleted(tmp_path: Path) -> None:
    actions = [
        {"action": "call_tool", "tool": "generate_surat_pengantar", "input": {}},
        {"action": "call_tool", "tool": "get_letter_requirements", "input": {"letter_type": "surat_skck"}},
        {"action": "final", "response": "Selamat pagi"},
    ]
    shown = [SimpleNamespace(action=action) for action in actions]
    settings = SimpleNamespace(file=tmp_path / "client.toml", servers=[], examples=shown)
    assert ["surat_skck" in one.what for one in examples(settings)] == [True], "the shipped letters are offered"
    (tmp_path / "letters/surat_skck").mkdir(parents=True)
    assert ["surat_pengantar" in one.what for one in examples(settings)] == [True]
