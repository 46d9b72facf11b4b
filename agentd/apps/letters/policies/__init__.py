"""What may be called in a turn and with what: the call policies and the turn policy of official tools."""
