"""torch.distributions.distribution."""
from torch.distributions import *
