"""The register of residents: who a visitor is, and the office's command line for the register."""
