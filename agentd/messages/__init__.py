"""Frozen data classes that cross the ports and the wire. Their methods only read their own fields."""

from agentd.messages.base import Json, Message, adapter, json_int
from agentd.messages.calls import Agreement, Artifact, Basis, Consent, Dispute, Source, ToolCall, ToolOutcome
from agentd.messages.models import (
    ChatMessage,
    Constraint,
    Fallback,
    ModelInfo,
    ModelPrice,
    ModelReply,
    ModelRequest,
    ProviderSettings,
    ProviderState,
    Role,
    Usage,
)
from agentd.messages.people import Caller, Said, Scope
from agentd.messages.runs import (
    LIVE_ONLY,
    AgentOptions,
    AgentOutcome,
    AgentStep,
    Approval,
    Event,
    EventType,
    RunOptions,
    RunOutcome,
    RunStatus,
)
from agentd.messages.tools import ApprovalRule, Catalogue, ServerSettings, ServerState, ToolInfo, folder_of_run
from hardening.texts import canonical
