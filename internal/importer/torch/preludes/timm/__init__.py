"""timm: the layers and the vision transformer that other models are built of."""
__version__ = "1.0.0"
