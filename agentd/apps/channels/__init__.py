"""Chats with citizens on their own chat services; each chat has a session of its own."""
