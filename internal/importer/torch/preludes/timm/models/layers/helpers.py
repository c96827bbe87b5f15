"""timm.models.layers.helpers."""
from timm.layers import *
