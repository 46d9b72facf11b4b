"""`jsonrpc-cli`: a command line for any JSON-RPC 2.0 server."""
