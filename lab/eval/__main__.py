"""`python -m lab.eval [NAME …]` is `python -m lab.figures eval.NAME …`; `--help` lists the names."""

import sys

from lab.figures.__main__ import main

sys.exit(main("eval"))
