"""Client for one OpenAI-compatible endpoint, with retries and token counts. Extracts no query from the answer."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

from servers.text2cypher.config.llm_config import LLMConfig

Message = dict[str, str]
Constraint = Literal["grammar", "json_schema", "none"]
"""What an endpoint can constrain its answers to, as reported by agentd's /v1/models."""
_LONGEST_WAIT_S = 60.0


class LLMError(Exception):
    """The model gave no answer; the message says why and what to check."""


@dataclass(frozen=True)
class Completion:
    """`text` as written by the model; tokens as counted by the endpoint."""

    text: str
    prompt_tokens: int
    completion_tokens: int


class LLMClient:
    """`sleep` is called between attempts with seconds; tests pass their own."""

    def __init__(self, config: LLMConfig, sleep: Callable[[float], None] = time.sleep) -> None:
        from openai import OpenAI

        self.config = config
        self._sleep = sleep
        self._client = OpenAI(
            base_url=config.url, api_key=config.token or "none", timeout=config.timeout_s, max_retries=0
        )
        self._constraint: Constraint | None = None
        if config.grammar is not None:
            self._constraint = "grammar" if config.grammar else "none"

    @property
    def constraint(self) -> Constraint:
        """As the endpoint's model list says (requested once); `none` if it says nothing or refused a grammar."""
        if self._constraint is None:
            self._constraint = self._ask_constraint()
        return self._constraint

    def _ask_constraint(self) -> Constraint:
        import openai

        try:
            listed = self._client.models.retrieve(self.config.model)
        except openai.OpenAIError:  # many endpoints list nothing; complete() reports one that is down
            return "none"
        said: Any = (listed.model_extra or {}).get("constraint") if isinstance(listed, openai.types.Model) else None
        return said if said in get_args(Constraint) else "none"

    def complete(
        self, messages: list[Message], *, grammar: str | None = None, temperature: float | None = None
    ) -> Completion:
        """One answer. Raises LLMError if every attempt failed."""
        import openai

        for left in range(self.config.retries, -1, -1):
            try:
                return self._once(messages, grammar if self.constraint == "grammar" else None, temperature)
            except openai.BadRequestError as error:
                if grammar is None or self.constraint != "grammar":
                    raise LLMError(f"{self.config.url} refused the request: {error.message}") from error
                self._constraint = "none"
                return self.complete(messages, temperature=temperature)  # a refusal doesn't count as an attempt
            except (openai.AuthenticationError, openai.PermissionDeniedError, openai.NotFoundError) as error:
                hint = "check the key and the model's name"
                raise LLMError(f"{self.config.url}: {error.message}; {hint}") from error
            except openai.APITimeoutError as error:  # a retry would take as long
                raise LLMError(f"{self.config.url} gave no answer within {self.config.timeout_s:g} s") from error
            except (openai.APIConnectionError, openai.APIStatusError) as error:
                if not left:
                    raise LLMError(
                        f"{self.config.url} gave no answer after {self.config.retries + 1} tries: {error}"
                    ) from error
                self._sleep(_wait(error, self.config.retries - left))
        raise LLMError(f"{self.config.url} gave no answer")

    def _once(self, messages: list[Message], grammar: str | None, temperature: float | None) -> Completion:
        body: dict[str, Any] = {"grammar": grammar} if grammar is not None else {}
        answer = self._client.chat.completions.create(
            model=self.config.model,
            messages=messages,  # type: ignore[arg-type]
            temperature=self.config.temperature if temperature is None else temperature,
            max_tokens=self.config.max_tokens,
            extra_body=body,
        )
        text = answer.choices[0].message.content if answer.choices else ""
        usage = answer.usage
        read, wrote = (usage.prompt_tokens, usage.completion_tokens) if usage else (0, 0)
        return Completion(text or "", read, wrote)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _wait(error: Exception, tried: int) -> float:
    """The Retry-After of the endpoint, else 1, 2, 4 … seconds."""
    response = getattr(error, "response", None)
    said = response.headers.get("retry-after", "") if response is not None else ""
    try:
        return min(float(said), _LONGEST_WAIT_S)
    except ValueError:
        return min(2.0**tried, _LONGEST_WAIT_S)
