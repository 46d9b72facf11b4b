"""Letter types, as their folders declare them: fields, kinds, conditions, text. No I/O but reading the folders."""
