"""The sample company: a trading company's books, invented, as a SQLite file or on MariaDB. Not a server.

All of it is `seed.sql.xz`: CREATE TABLE with Indonesian comments, then the rows (`xz -dc` shows them). `build(path)`
makes the SQLite file, `load(connection)` fills an empty MariaDB or MySQL database, `script()` is the SQL.
"""

from servers.common.erp.build import SEED, build, load, script
from servers.common.erp.comments import sqlite_comments

__all__ = ["SEED", "build", "load", "script", "sqlite_comments"]
