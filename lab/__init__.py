"""What measures agentd, shows it, and renders its documents: not part of the package."""
