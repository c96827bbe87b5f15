"""torch.distributions.normal."""
from torch.distributions import *
