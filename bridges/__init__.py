"""Adapters for everything outside the daemon: providers, tool servers, chat services. Entry points register them."""
