from .classifier import Classifier

__all__ = ["Classifier"]
