"""The embedded model: local weights, no network. Importing this package loads neither the library nor the weights."""

from bridges.llamacpp.model import LlamaCppModel

__all__ = ["LlamaCppModel"]
