"""Chat services, each an implementation of the port `Channel`; they store nothing."""
