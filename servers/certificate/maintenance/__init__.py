"""What an office does with its register: audit it, repair it, back it up."""
