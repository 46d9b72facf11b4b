"""The MCP server `certificate`: the letter service of a kelurahan. Grounding and approval are the daemon's work."""

from servers.common.extras import require

require("letters", "reportlab", "pyhanko", "cbor2", "phonenumbers", "pypdfium2")
