"""The register of residents: identifies visitors, and brings the office's command line for the register."""
