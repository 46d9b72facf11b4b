"""The MCP server `certificate`: the letter service of a kelurahan. Not the daemon's policies (grounding, approval)."""

from servers.common.extras import require

require("letters", "reportlab", "pyhanko", "cbor2", "phonenumbers", "pypdfium2")
