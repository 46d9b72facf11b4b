"""How well the books are asked: questions with gold results, asked in both plan styles; `python -m eval.analytics`."""
