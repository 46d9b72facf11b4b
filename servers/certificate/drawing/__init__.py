"""Draws a letter as PDF, and a PDF as pictures."""
