"""pytorch_lightning: a LightningModule is a module with hyperparameters; how it is trained is no part of the model."""
from torch import nn

from _hyperparameters import collect


class _Hyperparameters:
    def __init__(self, values):
        for name in values:
            setattr(self, name, values[name])

    def __getitem__(self, name):
        return getattr(self, name)

    def __contains__(self, name):
        return hasattr(self, name)

    def __iter__(self):
        return iter(list(self.__dict__))

    def get(self, name, default=None):
        return getattr(self, name, default)

    def keys(self):
        return list(self.__dict__.keys())

    def items(self):
        return list(self.__dict__.items())


class LightningModule(nn.Module):
    def __init__(self, *args, **kwargs):
        super().__init__()

    def save_hyperparameters(self, *args, ignore=None, frame=None, logger=True):
        ignored = [ignore] if isinstance(ignore, str) else list(ignore or [])
        values = {k: v for k, v in collect().items() if k not in ignored}
        if args and all(isinstance(a, str) for a in args):
            values = {k: values[k] for k in args}
        elif args:
            values = args[0] if isinstance(args[0], dict) else vars(args[0])
        self._hparams = _Hyperparameters(values)

    @property
    def hparams(self):
        if not hasattr(self, "_hparams"):
            self._hparams = _Hyperparameters({})
        return self._hparams

    def log(self, *args, **kwargs):
        pass

    def log_dict(self, *args, **kwargs):
        pass

    def print(self, *args, **kwargs):
        pass

    def freeze(self):
        pass

    def unfreeze(self):
        pass


class LightningDataModule:
    def __init__(self, *args, **kwargs):
        pass


class Callback:
    pass


class Trainer:
    def __init__(self, *args, **kwargs):
        pass


def seed_everything(seed=None, workers=False):
    return seed
