"""Runs questions one by one through the loop and scores them, with checkpoints, rate limit and error handling.

Handles one configuration at a time; makes no summaries.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from servers.text2cypher.config import LLMConfig, Settings
from servers.text2cypher.config.environment import environment
from servers.text2cypher.core.agent_loop import AgentLoop, Model
from servers.text2cypher.core.agent_state import AgentState
from servers.text2cypher.core.llm_client import Completion, Constraint, LLMClient, LLMError, Message
from servers.text2cypher.core.workbench import Workbench
from servers.text2cypher.data import GroundTruthItem, load_examples
from servers.text2cypher.experiment.checkpoint import Checkpoint
from servers.text2cypher.experiment.records import Record, to_record
from servers.text2cypher.graph.open import open_backend
from servers.text2cypher.metrics.score import Scorer
from servers.text2cypher.prompts import PromptType, SchemaFormat

OnRecord = Callable[[Record, int, int], None]
MOST_FAILURES = 3


class ModelGoneError(Exception):
    """The model failed MOST_FAILURES questions in a row; finished ones are in the checkpoint."""


class _Paced:
    """A model that waits `delay_s` between calls."""

    def __init__(self, model: Model, delay_s: float, sleep: Callable[[float], None]) -> None:
        self._model, self._delay_s, self._sleep = model, delay_s, sleep
        self._asked = False

    @property
    def constraint(self) -> Constraint:
        """The model's constraint."""
        return self._model.constraint

    def complete(
        self, messages: list[Message], *, grammar: str | None = None, temperature: float | None = None
    ) -> Completion:
        """Calls the model after the wait. Raises LLMError."""
        if self._asked and self._delay_s:
            self._sleep(self._delay_s)
        self._asked = True
        return self._model.complete(messages, grammar=grammar, temperature=temperature)


class BatchProcessor:
    """Uses one workbench and one model."""

    def __init__(
        self,
        bench: Workbench,
        model: Model,
        settings: Settings | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.bench, self.model, self.settings = bench, model, settings or Settings()
        self._scorer = Scorer(bench.backend)
        self._paced = _Paced(model, self.settings.delay_s, sleep)

    def process_single(
        self,
        item: GroundTruthItem,
        prompt_type: PromptType = PromptType.ZERO_SHOT,
        schema_format: SchemaFormat = SchemaFormat.FULL_SCHEMA,
    ) -> AgentState:
        """Runs one question through the loop."""
        loop = AgentLoop(
            self.bench, self._paced, prompt_type=prompt_type, schema_format=schema_format, settings=self.settings
        )
        return loop.run(item.question_id, item.question, item.cypher)

    def process_batch(
        self,
        items: Sequence[GroundTruthItem],
        prompt_type: PromptType,
        schema_format: SchemaFormat,
        checkpoint: Checkpoint | None = None,
        on_record: OnRecord | None = None,
    ) -> list[Record]:
        """Runs all questions in order, except those in the checkpoint.

        A question whose model call fails is recorded as failed but not checkpointed, so that a resumed run asks it
        again. Raises ModelGoneError, CheckpointError, GoldQueryError.
        """
        done = {record["question_id"]: record for record in (checkpoint.load() if checkpoint else [])}
        records: list[Record] = []
        failures = 0
        for place, item in enumerate(items, 1):
            record = done.get(item.question_id)
            if record is None:
                state = self.process_single(item, prompt_type, schema_format)
                record = to_record(item, state, self._scorer.score(item.cypher, state.final_query or ""))
                failures = failures + 1 if state.error else 0
                if failures >= MOST_FAILURES:
                    raise ModelGoneError(f"{failures} questions in a row failed: {state.error}")
                if checkpoint is not None and not state.error:
                    checkpoint.append(record)
            records.append(record)
            if on_record is not None:
                on_record(record, place, len(items))
        return records


def create_batch_processor() -> BatchProcessor:
    """Creates a processor from the environment and `.env`.

    The graph is TEXT2CYPHER_GRAPH, NEO4J_URI or the shipped curriculum; the model is TEXT2CYPHER_MODEL_URL,
    AGENTD_MODEL_URL or GROQ_API_KEY. Raises LLMError if no model is given.
    """
    config = LLMConfig.from_env(environment())
    if config is None:
        raise LLMError("no model: set TEXT2CYPHER_MODEL_URL, AGENTD_MODEL_URL or GROQ_API_KEY")
    return BatchProcessor(Workbench(open_backend(None, environment()), load_examples()), LLMClient(config))
