"""Programs that use the daemon from outside, over its wire (agentd.cli.client). They hold none of its objects."""
