"""Runs tests in forks of one pytest process, each of which imports and runs one part of the files after another.

pytest-xdist would import every file of tests in every worker, which takes as long as a third of the quick tests, and
send three reports a test. A part is files of one folder, because these import the same modules.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import traceback
from collections.abc import Iterator
from itertools import chain, groupby, pairwise
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any

import pytest

PART = 12
"""Files in a part, at most: fewer balance the forks better, more import less twice."""

Part = list[pytest.Item | pytest.Collector]


class Forks:
    """Replaces the session's loop, when `--forks` is given, and imports no file of tests in its own process."""

    def __init__(self, forks: int) -> None:
        self.forks = forks
        self.parts: list[Part] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> bool:
        found = session.perform_collect(genitems=False)
        files = chain.from_iterable(map(_files, found))
        for _, same in groupby(files, lambda file: file.parent):
            folder = list(same)
            self.parts += [folder[start : start + PART] for start in range(0, len(folder), PART)]
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        session.testscollected = 0
        waiting = list(range(len(self.parts)))
        forks: dict[Connection, tuple[int, bool]] = {}
        for each in range(self.forks):
            ours, process = self._fork(session)
            forks[ours] = process, bool(each % 2)
        try:
            while forks:
                for connection in wait(list(forks)):
                    assert isinstance(connection, Connection)
                    process, first = forks[connection]
                    if _received(session, connection):
                        # The forks take from both ends, so that they import little of the same.
                        connection.send(waiting.pop(0 if first else -1) if waiting else None)
                    else:
                        os.waitpid(process, 0)
                        del forks[connection]
        finally:
            for process, _ in forks.values():
                os.kill(process, signal.SIGTERM)
        return True

    def _fork(self, session: pytest.Session) -> tuple[Connection, int]:
        ours, theirs = Pipe()
        if process := os.fork():
            theirs.close()
            return ours, process
        code = 1
        try:
            ours.close()
            self._serve(session, theirs)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            atexit._run_exitfuncs()  # such as those that remove the tests' folders
            os._exit(code)

    def _serve(self, session: pytest.Session, connection: Connection) -> None:
        manager = session.config.pluginmanager
        capture = manager.getplugin("capturemanager")
        assert capture is not None
        capture.stop_global_capturing()  # its files are shared with the other forks
        capture.start_global_capturing()
        manager.unregister(name="terminalreporter")
        sent = _Reports(session.config)
        manager.register(sent)

        def items() -> Iterator[pytest.Item]:
            connection.send((0, []))
            while (part := connection.recv()) is not None:
                gc.disable()
                found = [item for file in self.parts[part] for item in session.genitems(file)]
                session.config.hook.pytest_collection_modifyitems(session=session, config=session.config, items=found)
                gc.freeze()  # the imported modules and their tests, which live to the end
                gc.enable()
                yield from found
                connection.send((len(found), sent.reports))
                sent.reports.clear()

        for item, following in pairwise(chain(items(), [None])):
            assert item is not None
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        session.config.hook.pytest_sessionfinish(session=session, exitstatus=0)
        connection.send((None, sent.reports))


class _Reports:
    """What a fork sends: of a test that passed its call alone, as nothing is to be said of the rest."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.reports: list[tuple[str, dict[str, Any]]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or not report.passed:
            self._add("pytest_runtest_logreport", report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if not report.passed:
            self._add("pytest_collectreport", report)

    def _add(self, hook: str, report: pytest.TestReport | pytest.CollectReport) -> None:
        data = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        self.reports.append((hook, data))


def _files(node: pytest.Item | pytest.Collector) -> Iterator[pytest.Item | pytest.Collector]:
    """The files below a folder, not yet imported."""
    if not isinstance(node, pytest.Directory):
        yield node
        return
    report = node.ihook.pytest_make_collect_report(collector=node)
    node.ihook.pytest_collectreport(report=report)
    yield from chain.from_iterable(map(_files, report.result))


def _received(session: pytest.Session, connection: Connection) -> bool:
    """Report what a fork sent; False when that was its last."""
    try:
        collected, reports = connection.recv()
    except EOFError:
        pytest.exit("a fork of the tests ended before its tests", pytest.ExitCode.INTERNAL_ERROR)
    hook = session.config.hook
    for name, data in reports:
        getattr(hook, name)(report=hook.pytest_report_from_serializable(config=session.config, data=data))
    if session.shouldfail:
        raise session.Failed(session.shouldfail)
    session.testscollected += collected or 0
    return collected is not None
