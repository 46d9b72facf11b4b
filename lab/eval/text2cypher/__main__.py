"""python -m lab.eval.text2cypher: questions by other hands, asked of a provider; totals as JSON.

    python -m lab.eval.text2cypher fetch --data DIR [--source TEMPLATE]
    python -m lab.eval.text2cypher fit --out RUNS    weights of the confidence, from --provider first and wrong runs
    python -m lab.eval.text2cypher plot --out RUNS   docs/text2cypher/calibration.png of the same, and ablation.png
    python -m lab.eval.text2cypher --set movies --provider gold|other|wrong|first|llamacpp|URL [--half test]

A run is resumed by the same command. Of the test half only totals leave: its records hold no question and no query.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from lab.eval.clones import SOURCE
from lab.eval.text2cypher.asking import Asking, Record, kept
from lab.eval.text2cypher.fit import write
from lab.eval.text2cypher.plots import PAGES, draw
from lab.eval.text2cypher.sets import SETS, Question, fetch, question_set
from lab.eval.text2cypher.totals import totals
from servers.text2cypher.config import Aids, LLMConfig
from servers.text2cypher.core.agent_loop import Model
from servers.text2cypher.core.llm_client import LLMClient
from servers.text2cypher.experiment.model_process import embedded_model

MOST_TOKENS = 256
"""Far longer than any gold query; stops a model without a grammar from running on."""
PATIENCE_S = 900.0


def main() -> None:
    """Run the command: fetch, fit, plot, or ask and print the totals."""
    options = _parser().parse_args()
    if options.command == "fetch":
        fetch(options.data, options.source)
        return
    if options.command == "fit":
        print(write(options.out))
        return
    if options.command == "plot":
        print(*draw(options.out, PAGES))
        return
    held = question_set(options.set, options.data)
    asking = Asking(held, Aids.parse(options.aids))
    try:
        chosen = [question for question in asking.questions if options.half in ("all", question.half)]
        if options.limit:
            random.Random(options.seed).shuffle(chosen)
            chosen = chosen[: options.limit]
        found = totals(_records(options, asking, chosen))
        dropped = {"dropped": dict(asking.dropped)} if options.half == "all" else {}
        told = {"set": options.set, "half": options.half, "provider": options.provider, "aids": options.aids}
        print(json.dumps(told | found | dropped, indent=1))
    finally:
        asking.close()


def _records(options: argparse.Namespace, asking: Asking, chosen: list[Question]) -> list[Record]:
    by_id = {question.id: question for question in chosen}
    name = f"{options.set}.{_plain(options.provider)}.{_plain(options.aids)}.jsonl"
    if options.provider == "gold":
        return [asking.gold(question) for question in chosen]
    if options.provider == "other":
        return [asking.other(question) for question in chosen if question.other]
    if options.provider == "wrong":

        def both(one: str) -> list[Record]:
            return [asking.gold(by_id[one]), *asking.wrong(by_id[one], options.seed)]

        return kept(options.out / name, list(by_id), both)
    if options.provider == "first":
        return kept(options.out / name, list(by_id), lambda one: [asking.first(by_id[one])])
    with _model(options.provider) as model:
        return kept(options.out / name, list(by_id), lambda one: [asking.ask(by_id[one], model)])


@contextmanager
def _model(provider: str) -> Iterator[Model]:
    if provider == "llamacpp":
        with embedded_model() as url, _client(url) as client:
            yield client
        return
    with _client(provider) as client:
        yield client


@contextmanager
def _client(url: str) -> Iterator[LLMClient]:
    config = LLMConfig.from_env(os.environ, url=url)
    assert config is not None
    client = LLMClient(replace(config, max_tokens=MOST_TOKENS, timeout_s=PATIENCE_S))
    try:
        yield client
    finally:
        client.close()


def _plain(text: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m lab.eval.text2cypher", description=__doc__.splitlines()[0])
    parser.add_argument("command", nargs="?", choices=["fetch", "ask", "fit", "plot"], default="ask")
    parser.add_argument("--set", choices=SETS, default="home")
    parser.add_argument("--data", type=Path, default=Path("var/text2cypher"), help="where the public sets are kept")
    parser.add_argument("--source", default=SOURCE, help="where repositories are: {owner}, {name}")
    parser.add_argument("--provider", default="gold", help="gold, other, wrong, first, llamacpp, or a URL")
    parser.add_argument("--aids", default="default", help="as `text2cypher run --aids`; none: the same without any")
    parser.add_argument("--half", choices=["tuning", "test", "all"], default="tuning")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("var/text2cypher/runs"))
    return parser


if __name__ == "__main__":
    main()
