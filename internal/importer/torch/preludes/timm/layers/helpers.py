"""timm.layers.helpers."""
from timm.layers import *
