"""The register of residents, at the command line."""
