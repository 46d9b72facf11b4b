"""What people ask first, judged by a rubric."""
