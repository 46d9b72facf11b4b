"""The models and the agent for OpenAI's clients and for servers that ask a model: /v1, by OpenAI's protocol."""
