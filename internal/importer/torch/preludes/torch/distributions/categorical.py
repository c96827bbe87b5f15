"""torch.distributions.categorical."""
from torch.distributions import *
