"""timm.models.layers.drop."""
from timm.layers import *
