"""Decides whether one statement only reads this database's tables. Runs nothing and rewrites nothing.

Two analyses must agree: of the characters (`scan`) and of the tree (sqlglot). The original text is executed; the tree
is only inspected. The session itself refuses writes (`servers.common.database`); this guard also blocks what a
read-only session would allow: sleeping, locks, variables, other schemas, files.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from servers.mysql import vocabulary
from servers.mysql.scan import Kind, Statement

ROOTS = (exp.Select, exp.SetOperation, exp.Subquery)
INSTEAD = {
    **dict.fromkeys(("SHOW", "DESCRIBE", "DESC", "PRAGMA"), "describe_schema"),
    "EXPLAIN": "explain_query",
}
VIRTUAL = {
    "mysql": re.compile(r"seq_\d+_to_\d+(_step_\d+)?", re.IGNORECASE),  # MariaDB's number tables, of any size
    "postgres": re.compile(r"pg_.*", re.IGNORECASE),
    "sqlite": re.compile(r"(sqlite_|pragma_|dbstat|bytecode|tables_used|fts\d).*", re.IGNORECASE),
}


class RefusedError(Exception):
    """The statement may not run; the text says why, in one sentence."""


def check(
    statement: Statement, kind: Kind, schemas: Collection[str] = (), tables: frozenset[str] = frozenset()
) -> None:
    """Raise RefusedError unless `statement` is one SELECT on tables of `schemas` (the connection's database, or the
    schemas that it searches).

    `tables`: the tables that may be read, in lower case; empty means all."""
    _check_words(statement, kind)
    tree = _parse(statement.body, kind)
    if not isinstance(tree, ROOTS):
        raise RefusedError("Only SELECT statements are allowed.")
    _check_nodes(tree)
    if kind == "postgres":
        _check_types(tree)
    _check_calls(statement, tree, kind)
    derived = {cte.alias.casefold() for cte in tree.find_all(exp.CTE)} if tables else set()
    for table in tree.find_all(exp.Table):
        _check_table(table, kind, schemas)
        if tables and table.name.casefold() not in tables | derived:
            raise RefusedError(f"{table.name} is not among the tables that may be asked about.")


def _check_words(statement: Statement, kind: Kind) -> None:
    if not statement.body:
        raise RefusedError("The statement is empty.")
    first = statement.words[0] if statement.words else ""
    if first and first not in ("SELECT", "WITH"):
        hint = f" {INSTEAD[first]} says that." if first in INSTEAD else ""
        raise RefusedError(f"Only SELECT statements are allowed; this one begins with {first[:30]}.{hint}")
    if statement.problem:
        raise RefusedError(f"The statement can't be judged safely: {statement.problem}.")
    if not first:
        raise RefusedError("Only SELECT statements are allowed.")
    for word in statement.words:
        if word in vocabulary.FORBIDDEN_WORDS[kind]:
            raise RefusedError(f"Only reading is allowed: {word} isn't (if it is a column's name, quote it).")


def _parse(body: str, kind: Kind) -> exp.Expr:
    try:
        trees = sqlglot.parse(body, read=kind)
    except SqlglotError as error:
        where = next((f" near line {e['line']}, column {e['col']}" for e in getattr(error, "errors", ())), "")
        raise RefusedError(f"The statement can't be parsed{where}: check its syntax.") from None
    except RecursionError:
        raise RefusedError("The statement is too deeply nested.") from None
    if len(trees) != 1 or trees[0] is None:
        raise RefusedError("One statement at a time, please.")
    return trees[0]


def _check_nodes(tree: exp.Expr) -> None:
    for node in tree.walk():
        if isinstance(node, vocabulary.FORBIDDEN_FUNCTIONS):
            raise RefusedError(f"{node.key.upper()} is not allowed.")
        if isinstance(node, exp.Func) or type(node) in vocabulary.NODES:
            continue
        raise RefusedError(f"{_spelled(node)} is not allowed in a read-only query.")


def _check_types(tree: exp.Expr) -> None:
    """Allow casts only to plain types: PostgreSQL has types whose casts look things up (`regclass`)."""
    for kind in tree.find_all(exp.DataType):
        if kind.this not in vocabulary.CASTS:
            raise RefusedError(f"A cast to {kind.sql()[:60]} is not allowed.")


def _spelled(node: exp.Expr) -> str:
    """Return `SessionParameter` as SESSION PARAMETER, close to what was written."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(node).__name__).upper()


def _check_calls(statement: Statement, tree: exp.Expr, kind: Kind) -> None:
    """Require that every bracket after a name calls an allowed function, is grammar, or lists an alias's columns."""
    allowed = vocabulary.FUNCTIONS[kind] | vocabulary.BEFORE_BRACKET | vocabulary.TYPES
    unknown = Counter({name: times for name, times in statement.calls.items() if name not in allowed})
    if unknown:
        unknown -= Counter(_aliases_with_columns(tree))
    for name in unknown:
        raise RefusedError(f"The function {name[:60]} is not allowed.")


def _aliases_with_columns(tree: exp.Expr) -> Iterator[str]:
    """Yield the aliases of `WITH months(n) AS …`: each explains only one bracket after its name."""
    for alias in tree.find_all(exp.TableAlias):
        if alias.columns and alias.name:
            yield alias.name.upper()


def _check_table(table: exp.Table, kind: Kind, schemas: Collection[str]) -> None:
    """Raise RefusedError unless it is a table of this database that people made."""
    if not isinstance(table.this, exp.Identifier):
        raise RefusedError("Only tables, views and subqueries may stand after FROM and JOIN.")
    own = {"main"} if kind == "sqlite" else {schema.casefold() for schema in schemas}
    if table.catalog or (table.db and table.db.casefold() not in own):
        raise RefusedError(f"Only tables of this database may be read; {table.db or table.catalog} is another one.")
    if VIRTUAL[kind].fullmatch(table.name):
        raise RefusedError(f"{table.name} is the database's own and not allowed; describe_schema lists the tables.")
