"""torch.distributions.kl."""
from torch.distributions import *
