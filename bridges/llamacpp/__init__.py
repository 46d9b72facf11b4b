"""The embedded model: weights on this machine, no network. Importing this package loads neither library nor weights."""

from bridges.llamacpp.model import LlamaCppModel

__all__ = ["LlamaCppModel"]
