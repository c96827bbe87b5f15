"""timm.data.constants."""
from timm.data import *
