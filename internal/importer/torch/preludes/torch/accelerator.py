"""torch.accelerator of a machine that has none, as torch.cuda.is_available is taken to say."""
import torch


def is_available():
    return torch.cuda.is_available()


def device_count():
    return 1 if torch.cuda.is_available() else 0


def current_accelerator(check_available=False):
    return torch.device("cuda") if torch.cuda.is_available() else None


def synchronize(device=None):
    return None
