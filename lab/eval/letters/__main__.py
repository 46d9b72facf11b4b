"""`python -m lab.eval.letters`: agentd in this process, its real servers, a real model, and every conversation in turn.

Leaves `record.json.xz` (every word), `report.json` (the figures) and `index.html` (figures and every transcript, not
tracked; `--page` makes it again) in docs/letters/eval. A part of the conversations leaves them only with `--out`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from agentd import config
from agentd.daemon import Daemon
from agentd.errors import AgentdError
from agentd.messages import AgentOptions, AgentStep, Caller
from agentd.observability import logging as logs
from agentd.runs.visibility import new_key
from agentd.startup import started
from lab.eval.letters import report, script
from lab.eval.letters.runner import Answer, Record, hold

OUT = Path("docs/letters/eval")
RECORD = "record.json.xz"
CITIZEN = Caller(id="citizen", scopes=frozenset({"kiosk"}))
"""The citizen: a visitor at the kiosk, with the kiosk's prompt."""
OFFICER = Caller(id="officer", scopes=frozenset({"staff"}))
"""An officer who approves every letter that needs one, so that only agentd keeps wrong values off letters."""


class Desk:
    """The daemon's agent as the counter for the conversations."""

    def __init__(self, made: Daemon) -> None:
        self._made = made
        self._visitor = CITIZEN.with_key(new_key())

    async def say(self, session_id: str, words: str) -> Answer:
        """Run one message, with the officer's approval when needed; a failed run is answered as a page would."""
        options = AgentOptions(session_id=session_id)
        try:
            outcome = await self._made.runs.run(words, options, self._visitor)
            if (asked := outcome.approval) is not None and asked.rule == "staff":
                outcome = await self._made.runs.approve(outcome.run_id, asked.approval_id, True, None, OFFICER)
        except AgentdError as error:
            steps = tuple(AgentStep.model_validate(step) for step in error.data.get("steps", ()))
            return Answer(text=error.data.get("user_message") or error.user_message(), steps=steps, error=error.type)
        return Answer(
            text=outcome.response,
            waiting=outcome.status == "needs_approval",
            steps=outcome.steps,
            provider=outcome.provider,
        )

    async def warm(self) -> None:
        """Warm the prompt as `agentd serve` does, so that no conversation waits for it to be read."""
        await self._made.chain.warm(self._made.profile(CITIZEN, AgentOptions()).prefix)


async def evaluate(given: argparse.Namespace) -> Record:
    """Run the conversations; print each as it ends."""
    scripts = script.load(given.conversations)
    if given.only:
        scripts = [each for each in scripts if each.category in given.only or each.id in given.only]
    record = Record()
    with tempfile.TemporaryDirectory(prefix="agentd-eval-") as state:
        settings = config.load(given.config, state=state)
        if given.provider:  # visitors can't choose a provider, so the configuration does
            only = tuple(each for each in settings.providers if each.id == given.provider)
            settings = replace(settings, default_provider=given.provider, providers=only)
        async with started(settings) as made:
            desk = Desk(made)
            await desk.warm()
            for each in scripts[: given.limit]:
                held = record.held[each.id] = await hold(desk, each)
                seconds = sum(turn.seconds for turn in held.turns)
                mark = "✓" if held.verdict.passed else f"✗ {'; '.join(held.verdict.reasons)}"
                print(f"{held.id}: {len(held.turns)} turns, {seconds:.0f} s {mark}", flush=True)
        judged = sum(len(held.letters) for held in record.held.values())
        if (archived := in_archive(state)) != judged:
            raise SystemExit(f"{archived} letters lie in the archive, but {judged} were judged")
    return record


def in_archive(state: str) -> int:
    """The number of letters in the archive, regardless of the conversations' steps."""
    return len(list(Path(state).glob("letters/2*/*.pdf")))


def leave(out: Path, record: Record, conversations: Path) -> None:
    """Write the record, and the figures and page over all conversations of the file."""
    scripts = script.load(conversations)
    record.write(out / RECORD)
    figures = json.dumps({"figures": report.figures(scripts, record)}, ensure_ascii=False, indent=1)
    (out / "report.json").write_text(f"{figures}\n", encoding="utf-8")
    (out / "index.html").write_text(report.page(scripts, record), encoding="utf-8")


def main() -> int:
    """Return 0 when no letter has a value the citizen didn't give and no answer claims a letter that was not made."""
    parser = argparse.ArgumentParser(prog="python -m lab.eval.letters", description=__doc__)
    parser.add_argument("--config", metavar="FILE", help="client.toml (default: the one agentd itself would read)")
    parser.add_argument("--provider", metavar="ID", default="llamacpp", help="asked first (default: the embedded one)")
    parser.add_argument("--conversations", metavar="FILE", type=Path, default=script.FILE)
    parser.add_argument("--only", metavar="ID", nargs="+", help="these conversations or categories")
    parser.add_argument("--limit", metavar="N", type=int, help="at most N conversations")
    parser.add_argument("--out", metavar="FOLDER", type=Path, help="where to leave what was found")
    parser.add_argument("--page", action="store_true", help="hold none: write the page of the record that is there")
    given = parser.parse_args()
    out = given.out or (None if given.only or given.limit else OUT)
    if given.page:
        leave(out or OUT, Record.read((out or OUT) / RECORD), given.conversations)
        return 0
    logs.configure("error")
    record = asyncio.run(evaluate(given))
    if out:
        leave(out, record, given.conversations)
        print(f"→ {out / 'index.html'}")
    found = report.figures(script.load(given.conversations), record)
    print(json.dumps({key: value for key, value in found.items() if key != "categories"}, indent=1))
    return 1 if found["letters_with_an_invented_value"] or found["false_claims_of_a_letter"] else 0


if __name__ == "__main__":
    sys.exit(main())
