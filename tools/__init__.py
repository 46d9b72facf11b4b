"""What keeps the pages of docs/ true: each module renders one of them from the code. Nothing of agentd needs these."""
