"""Whether each argument of a call is proven, in doubt or missing."""
