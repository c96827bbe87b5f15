"""timm.layers.mlp."""
from timm.layers import *
