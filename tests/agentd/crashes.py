"""Fails in one way at log level debug, with a citizen's words (from standard input) in every possible place."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading

import structlog

from agentd.observability import logging as telemetry

WORDS = sys.stdin.read()
log = structlog.get_logger("agentd")
foreign = logging.getLogger("dbos")


class Careless:
    def __del__(self) -> None:
        broken(WORDS)


def broken(name: str) -> None:
    applicant = {"nama": name}
    raise ValueError(f"{name} is wrong", applicant)


def logged() -> None:
    try:
        broken(WORDS)
    except ValueError as error:
        log.exception("SAID", error=error, asked=(error, {"input": WORDS}))


def chained() -> None:
    try:
        try:
            broken(WORDS)
        except ValueError as error:
            raise RuntimeError(WORDS) from error
    except RuntimeError as error:
        log.error("SAID", exc_info=error)


def nested() -> None:
    log.debug("SAID", answer=[{"deep": {"prompt": WORDS, "arguments": {"nama": WORDS}}}])


def said_by_others() -> None:
    try:
        broken(WORDS)
    except ValueError as error:
        foreign.error(f"SAID {error} {WORDS}", exc_info=True)


def said_with_arguments() -> None:
    foreign.warning("SAID %s %r", WORDS, {"nama": WORDS}, stack_info=True)


async def lost_task() -> None:
    asyncio.get_running_loop().create_task(fails(WORDS), name=WORDS)
    await asyncio.sleep(0)


async def fails(name: str) -> None:
    broken(name)


def thread() -> None:
    worker = threading.Thread(target=broken, args=(WORDS,), name=WORDS)
    worker.start()
    worker.join()


WAYS = {
    "logged": logged,
    "chained": chained,
    "nested": nested,
    "foreign": said_by_others,
    "foreign_args": said_with_arguments,
    "asyncio": lambda: asyncio.run(lost_task()),
    "thread": thread,
    "collected": Careless,
    "misformatted": lambda: foreign.error("SAID %d %s", WORDS, WORDS) or log.error("SAID"),
    "raised": lambda: broken(WORDS),
}

if __name__ == "__main__":
    telemetry.configure("debug", console=sys.argv[2] == "console")
    WAYS[sys.argv[1]]()
