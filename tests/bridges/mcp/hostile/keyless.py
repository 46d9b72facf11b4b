"""Ends at once because its key is missing, as many servers do."""

import os
import sys

if "WEATHER_API_KEY" not in os.environ:
    sys.exit("Error: WEATHER_API_KEY environment variable is required")
