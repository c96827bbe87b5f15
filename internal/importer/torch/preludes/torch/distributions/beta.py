"""torch.distributions.beta."""
from torch.distributions import *
