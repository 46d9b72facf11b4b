"""How well evidence is judged: honest and invented values against the judge that the daemon calls. No model."""
