"""Everything that talks to the outside for the daemon; each bridge is found by its entry point."""
