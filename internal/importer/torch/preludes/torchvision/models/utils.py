"""torchvision.models.utils, which older releases had."""
from torch.hub import load_state_dict_from_url
