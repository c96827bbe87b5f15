"""timm.models.registry."""


def register_model(fn):
    return fn


def generate_default_cfgs(cfgs):
    return cfgs
