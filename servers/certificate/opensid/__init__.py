"""Converts an office's own OpenSID letter templates to letter folders. It contains none of OpenSID's texts."""
