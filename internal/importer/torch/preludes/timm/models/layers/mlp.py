"""timm.models.layers.mlp."""
from timm.layers import *
