"""Chats with citizens on the services that they have: each chat is a session of its own."""
