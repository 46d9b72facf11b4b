"""Which model answers, and with which settings. Calls nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from servers.common.credentials import credential

GROQ_URL = "https://api.groq.com/openai/v1"
GROQ_MODEL = "qwen/qwen-2.5-coder-32b-instruct"


@dataclass(frozen=True)
class LLMConfig:
    """`url`: the OpenAI-compatible base including /v1; `grammar` overrides the endpoint's own information."""

    provider: str = "groq"
    model: str = GROQ_MODEL
    temperature: float = 0.1
    max_tokens: int = 2048
    url: str = GROQ_URL
    token: str = ""
    grammar: bool | None = None
    timeout_s: float = 300.0
    retries: int = 3
    price_in: float = 0.0  # per million tokens, in the report's currency
    price_out: float = 0.0

    @classmethod
    def from_env(cls, env: Mapping[str, str], *, url: str | None = None, model: str | None = None) -> LLMConfig | None:
        """From `url`, TEXT2CYPHER_MODEL_URL, AGENTD_MODEL_URL or GROQ_API_KEY, in this order; None if none is set.

        TEXT2CYPHER_MODEL and TEXT2CYPHER_MODEL_TOKEN apply to the first two; TEXT2CYPHER_GRAMMAR=0 or 1 overrides the
        endpoint's information about grammars. Tokens may also be credentials.
        """
        wanted = url or env.get("TEXT2CYPHER_MODEL_URL")
        name = model or env.get("TEXT2CYPHER_MODEL")
        config: LLMConfig | None = None
        if not wanted and env.get("AGENTD_MODEL_URL"):
            token = env.get("AGENTD_MODEL_TOKEN", "")
            config = cls("agentd", name or "raw", url=_base(env["AGENTD_MODEL_URL"]), token=token, grammar=_flag(env))
        elif wanted:
            given = env.get("TEXT2CYPHER_MODEL_TOKEN") or credential("text2cypher_model_token", env)
            token = given or env.get("AGENTD_MODEL_TOKEN") or ""
            config = cls("openai", name or "raw", url=_base(wanted), token=token, grammar=_flag(env))
        elif groq := env.get("GROQ_API_KEY") or credential("groq_api_key", env):
            config = cls(model=name or GROQ_MODEL, token=groq, grammar=_flag(env))
        if config is None:
            return None
        price_in, price_out = env.get("TEXT2CYPHER_PRICE_IN") or 0, env.get("TEXT2CYPHER_PRICE_OUT") or 0
        return replace(config, price_in=float(price_in), price_out=float(price_out))


def _base(url: str) -> str:
    url = url.rstrip("/").removesuffix("/chat/completions")
    return url if urlsplit(url).path not in ("", "/") else url + "/v1"


def _flag(env: Mapping[str, str]) -> bool | None:
    held = env.get("TEXT2CYPHER_GRAMMAR", "")
    return held not in ("0", "false", "no") if held else None
