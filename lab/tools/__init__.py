"""Renders pages of docs/ from the code, one module per page, and the bill of materials. agentd itself needs none."""
