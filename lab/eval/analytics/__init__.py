"""Questions to the books with gold results, asked in both plan styles: `python -m lab.eval.analytics`."""
