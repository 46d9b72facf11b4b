"""Figures, side by side, as ratios in one run. None is asserted by a test."""
