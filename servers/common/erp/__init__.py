"""The sample company: an invented trading company's books, as a SQLite file or on MariaDB. Not a server.

The data are in `seed.sql.xz`: CREATE TABLE with Indonesian comments, then the rows (`xz -dc` shows them). `build(path)`
creates the SQLite file, `load(connection)` fills an empty MariaDB or MySQL database, `script()` returns the SQL.
"""

from servers.common.erp.build import SEED, build, load, script, sqlite_comments

__all__ = ["SEED", "build", "load", "script", "sqlite_comments"]
