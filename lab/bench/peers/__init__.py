"""The programs that agentd is compared with. Each follows its library's documentation and runs in a separate Python."""
