"""The daemon's HTTP server."""

from agentd.stand_ins import late_certificates

with late_certificates():  # before any other module imports it
    import aiohttp as aiohttp
