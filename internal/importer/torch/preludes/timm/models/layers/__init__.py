"""timm.models.layers, the older name of timm.layers."""
from timm.layers import *
