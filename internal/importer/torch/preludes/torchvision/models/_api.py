"""torchvision.models._api: weights change values only."""


class _Weights:
    DEFAULT = "DEFAULT"
    IMAGENET1K_V1 = "IMAGENET1K_V1"
    IMAGENET1K_V2 = "IMAGENET1K_V2"
    IMAGENET1K_FEATURES = "IMAGENET1K_FEATURES"


def weights_of():
    return _Weights
