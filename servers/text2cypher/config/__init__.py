"""Settings of the loop and of the model, with the original study's defaults. Calls nothing."""

from servers.text2cypher.config.llm_config import LLMConfig
from servers.text2cypher.config.settings import Aids, Settings

__all__ = ["Aids", "LLMConfig", "Settings"]
