"""What an answer claims or names that no tool did and nobody said."""
