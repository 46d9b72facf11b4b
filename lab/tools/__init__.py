"""What renders pages of docs/ from the code, one a module, and the bill of materials. Nothing of agentd needs these."""
