"""Programs that speak to the daemon from outside: by its wire, through agentd.cli.client. They hold nothing of it."""
