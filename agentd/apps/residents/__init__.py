"""The register of residents: who a visitor is, and the office's command line for the register."""

from agentd.apps.residents.app import Residents

__all__ = ["Residents"]
