"""What agentd is measured beside, each program as its own documentation writes it, run by a Python of their own."""
