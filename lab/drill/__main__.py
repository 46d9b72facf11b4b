"""`python -m lab.drill [NAME …]` is `python -m lab.figures drill.NAME …`; `--help` lists the names."""

import sys

from lab.figures.__main__ import main

sys.exit(main("drill"))
