"""What a date, a number, a name or an address looks like, and which value it is. Knows no messages and no fields."""
