"""What agentd does with a real model, measured. No tests: those are in tests/eval."""
