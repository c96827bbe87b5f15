"""timm.layers.drop."""
from timm.layers import *
