"""Fetches Spider's development questions with the queries that five models wrote for them. Asks nothing.

    python -m lab.eval.books.spider [--data DIR] [--source TEMPLATE]

Questions, gold SQL and schemas are Spider's (CC BY-SA 4.0). The repositories below hold no rows: each database is
filled four times by a seed, with the values that the gold queries compare. The filling in which most queries of models
find other rows than the gold is kept, as files like those of Chinook: NAME.sql and NAME.toml.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import sqlglot
from sqlglot import exp

from lab.eval.books import SPIDER, fetched_by_command
from lab.eval.clones import SOURCE, shown

GOLD, SOME, MODELS = "HKUNLP/SymGen", "GabrielOlem/C3SQL", "BeachWang/DAIL-SQL"
WHOLE = {"GPT-4": "results/DAIL-SQL+GPT-4.txt", "Graphix": "results/graphix_result.txt"}
"""Queries of MODELS, one for every question."""
PART = {"gpt-3.5": "predicted_sql.txt", "llama": "prediction_llama.txt", "falcon": "prediction_falcon.txt"}
"""Queries of SOME, for a hundred questions."""
FILLINGS, ROWS = 4, 40
Texts = dict[str, str]
HEAD = 'today = "2024-05-15T02:00:00+00:00"\ncurrency = "USD"\n'


def fetch(data: Path, source: str = SOURCE) -> None:
    """Write each database's script and questions to `data`. `source` may name local clones: {owner}, {name}."""
    data.mkdir(parents=True, exist_ok=True)
    read = partial(shown, data, source)
    dev = [json.loads(line) for line in read(GOLD, "data/spider/dev.json").splitlines()]
    some = json.loads(read(SOME, "data/spider/dev.json"))
    written: dict[str, Texts] = defaultdict(dict)
    for asked, repository, files in ((dev, MODELS, WHOLE), (some, SOME, PART)):
        for model, file in files.items():
            queries = read(repository, file).decode().replace("\x00", "").splitlines()
            for each, query in zip(asked, queries, strict=False):
                written[each["question"]][model] = query.strip()
    schemas = {each["db_id"]: each for each in json.loads(read(SOME, "data/spider/tables.json"))}
    for name in SPIDER:
        whole = re.compile(r"(?i)select\s+\*")  # shows more than is asked for
        golds = {e["question"]: e["query"] for e in dev if e["db_id"] == name and not whole.match(e["query"])}
        compared = _compared(golds.values())
        scripts = [filled(schemas[name], compared, Random(f"{name} {seed}")) for seed in range(FILLINGS)]
        found = {script: list(judged(script, golds, written)) for script in scripts}
        script = max(scripts, key=lambda each: sum(not same for _, same in found[each]))
        keys = ["".join(f"{key} = {json.dumps(said)}\n" for key, said in each.items()) for each, _ in found[script]]
        (data / f"{name}.sql").write_text(script, encoding="utf-8")
        (data / f"{name}.toml").write_text("\n[[questions]]\n".join([HEAD, *keys]), encoding="utf-8")


def _compared(queries: Iterable[str]) -> dict[str, list[str]]:
    """The literals that the queries compare a column with, by the column's name."""
    found = defaultdict(list)
    for query in queries:
        for literal in sqlglot.parse_one(query, read="sqlite").find_all(exp.Literal):
            if isinstance(literal.parent, exp.Predicate) and isinstance(column := literal.parent.this, exp.Column):
                found[column.name.casefold()].append(literal.name.strip("%"))
    return found


def filled(schema: dict[str, Any], compared: dict[str, list[str]], chance: Random) -> str:
    """CREATE TABLE and INSERT statements: ROWS rows a table, twice as many where they have no key but refer to one."""
    names, columns = schema["table_names_original"], schema["column_names_original"]
    targets, keys = dict(schema["foreign_keys"]), {*schema["primary_keys"]}
    tables = [table for table, name in enumerate(names) if name != "sqlite_sequence"]
    own = {table: [at for at, (of, _) in enumerate(columns) if of == table] for table in tables}
    parents = {table: {columns[targets[at]][0] for at in own[table] if at in targets} - {table} for table in tables}
    made: dict[int, list[Any]] = {}
    script, done = [], set[int]()
    while waiting := [table for table in tables if table not in done]:
        table = next((each for each in waiting if parents[each] <= done), waiting[0])
        done.add(table)
        count = 2 * ROWS if parents[table] and keys.isdisjoint(own[table]) else ROWS
        parts = []
        for at in own[table]:
            name, unique, target = columns[at][1], at in keys, targets.get(at)
            if target in made:
                there = [*dict.fromkeys(made[target])]
                made[at] = chance.sample(there, min(count, len(there))) if unique else chance.choices(there, k=count)
                of, key = columns[target]
                parts.append(f'FOREIGN KEY ("{name}") REFERENCES "{names[of]}" ("{key}")')
            else:
                kind, known = schema["column_types"][at], compared.get(name.casefold(), [])
                made[at] = list(_column(name.casefold(), kind, known, count, unique, chance))
            parts += [f'PRIMARY KEY ("{name}")'] if unique else []
        types = [f'"{columns[at][1]}" {_type(made[at][0])}' for at in own[table]]
        script.append(f'CREATE TABLE "{names[table]}" ({", ".join(types + parts)})')
        rows = dict.fromkeys(zip(*(made[at] for at in own[table]), strict=False))
        script += [f'INSERT INTO "{names[table]}" VALUES {exp.convert(row).sql(dialect="sqlite")}' for row in rows]
    return ";\n".join([*script, ""])


def _type(value: Any) -> str:
    if isinstance(value, str):
        return "DATE" if re.fullmatch(r"\d{4}-\d\d-\d\d", value) else "TEXT"
    return "REAL" if isinstance(value, float) else "INTEGER"


def _column(name: str, kind: str, known: Sequence[str], count: int, unique: bool, chance: Random) -> Iterator[Any]:
    """`count` values: some as the gold queries compare them (`known`), the others near them, or made up."""
    numbers = [float(each) for each in known if re.fullmatch(r"-?\d+(\.\d+)?", each)]
    words = [*dict.fromkeys(known)]
    low, high = (min(numbers) * 0.6, max(numbers) * 1.5) if numbers else (1990, 2020) if "year" in name else (1, 90)
    parts = (f"{chance.choice('bdfklmnprstv')}{chance.choice('aeiou')}" for _ in iter(int, 1))
    whole = "name" in name and not re.match(r"f|l|mi", name)  # first, last and middle names are shared
    made_up = ["".join(islice(parts, 3)).capitalize() for _ in range(count if whole else 8)]
    for at in range(count):
        if unique and kind == "number":
            yield at + 1
        elif "date" in name or (kind == "time" and "year" not in name):
            yield f"{chance.randint(1990, 2020)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
        elif kind == "number" or "year" in name or (numbers and len(numbers) == len(known)):
            near = chance.choice(numbers) if numbers and chance.random() < 1 / 3 else chance.uniform(low, high)
            number = round(near, 1) if any(each % 1 for each in numbers) else round(near)
            yield number if kind == "number" else str(number)
        else:
            coded = kind == "boolean" or (len(words) > 1 and max(map(len, words)) == 1)
            if unique or (whole and not coded):
                yield words[at] if at < len(words) else f"{made_up[at % len(made_up)]}{f' {at}' if unique else ''}"
            else:
                yield chance.choice(words or ["0", "1"] if coded or (words and chance.random() < 1 / 2) else made_up)


def judged(script: str, golds: Texts, written: dict[str, Texts]) -> Iterator[tuple[Texts, bool]]:
    """(a record, whether both queries find the same) for each question whose gold finds something, not just 0, and each
    different query of a model that runs."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(script)
        for ask, gold in golds.items():
            right, met = _rows(database, gold), set[str]()
            for model, query in written[ask].items() if right not in (None, [], ["(0,)"]) else ():
                plain = " ".join(query.casefold().rstrip("; ").split())
                rows = None if plain in met else _rows(database, query)
                met.add(plain)
                if rows is not None:
                    record = {"ask": ask, "sql": gold, "says": "{RESULT}", "mistake": model, "spoiled": query}
                    yield record, rows == right


def _rows(database: sqlite3.Connection, query: str) -> list[str] | None:
    try:
        return sorted(map(repr, database.execute(query).fetchmany(2000)))
    except sqlite3.Error:
        return None


if __name__ == "__main__":
    fetched_by_command("spider", fetch, __doc__)
