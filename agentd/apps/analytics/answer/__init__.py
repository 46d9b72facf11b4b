"""The narrative of an answer: its placeholders, formats, rules and computed statements."""
