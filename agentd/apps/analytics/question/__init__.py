"""What a question says about time and comparisons. No model, no database."""
