"""Opening messages of visitors, judged by a rubric."""
