"""timm.models.layers.patch_embed."""
from timm.layers import *
