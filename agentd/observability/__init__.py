"""What is kept of the daemon's own doing, for the people who answer for it. It decides nothing."""
