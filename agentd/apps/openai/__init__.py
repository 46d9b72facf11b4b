"""Serves the models and the agent by OpenAI's protocol (/v1), for its clients and for servers that call a model."""
