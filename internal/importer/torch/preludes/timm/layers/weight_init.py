"""timm.layers.weight_init."""
from timm.layers import *
