"""The words around the drill's tables, as docs/drills.md has them. It runs nothing."""

from __future__ import annotations

SHARED = "\nOther work went on beside it (the load is above the number of cores): its times are a busy machine's."
ABOUT = """\
# Drills

Written by `make drill` (`python -m lab.drill`), on {machine}, {at}, load {load:.1f} before, in {seconds:.0f} s.{shared}
The texts go first, all other parts side by side; one by itself is
printed by `python -m lab.drill PART`, which writes nothing here: {parts}.

## Killed again and again

The daemon is killed with `kill -9` while {runs} runs are under way, at random moments and at each named point of
issuing a letter, and started again; seed {seed}. A run calls four tools: the time, a note, a letter, a note.

{kills}

## Stopped again and again

The same with ordinary stops (SIGTERM) at random moments: runs go on after each start, and none is parked for it.

{stops}

## Three nodes, each killed in turn

Three daemons share one PostgreSQL (lease {lease:g} s); each is killed once with `kill -9` while {node_runs} runs are
under way, and started again {rest:g} s later. The runs are as above; what a dead node held is taken over by the others.

{nodes}

## Two nodes, two clocks

Two daemons share one PostgreSQL (lease {lease:g} s); the clock of one is {skew:g} s ahead. Nobody is killed.

{clocks}

## Faults

Each is done while a bystander's run goes through the same daemon. Processes are the daemon's and all below it, open
files are its descriptors, rows are the runs in its database: before, and once it had settled. What a fault needed for
itself (its server, its provider) is gone again by then. A run that waited for its database goes on by itself when the
cause has gone; that takes up to a minute, because DBOS looks for its database in growing pauses.

{faults}

## Hostile texts

{texts} texts of {bytes} bytes (quotation marks, brackets, commas, digits, newlines, marks of other scripts, and
mixtures from a fixed seed), each through `Agent.run` on a daemon with the scripted model, one after the other, while
`/healthz` is asked every 20 ms.

{hostile}

How the whole check of one call grows with what a citizen wrote (CPU ms, the best of three, texts of that many
characters; a message may have 8,192 bytes):

{curve}

## Attacks

Each is tried on a real daemon, server or guard. Lost is what was reached, changed, left or said that should not have
been.

{attacks}
"""
