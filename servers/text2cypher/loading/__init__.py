"""Makes a graph folder of a Cypher script: reads it, carries it out in memory, writes CSV. Runs no engine."""
