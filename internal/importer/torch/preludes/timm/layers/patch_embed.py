"""timm.layers.patch_embed."""
from timm.layers import *
