"""The seed ERP: a deterministic trading company to query, as SQLite file or on MariaDB. Not a server.

`build(path)` makes the SQLite file, `load(connection)` fills an empty MariaDB or MySQL database, `METADATA` is
the schema.
"""

from servers.common.erp.build import build, load
from servers.common.erp.comments import sqlite_comments
from servers.common.erp.rows import rows
from servers.common.erp.schema import METADATA

__all__ = ["METADATA", "build", "load", "rows", "sqlite_comments"]
