"""The workflow's six nodes and its error node, one file each, and what they share."""
