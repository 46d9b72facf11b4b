"""What speaks against a plan or its results. Pure; nothing here runs a query or asks a model."""
