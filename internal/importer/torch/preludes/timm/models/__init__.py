"""timm.models."""
from timm.models.registry import register_model
