"""Chat services, each as the port `Channel` wants it; they keep nothing."""
