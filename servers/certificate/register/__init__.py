"""The register of letters: its database, its journal beside it, and the folder of PDFs."""
