"""`python -m lab.bench [NAME …]` is `python -m lab.figures bench.NAME …`; `--help` lists the names."""

import sys

from lab.figures.__main__ import main

sys.exit(main("bench"))
