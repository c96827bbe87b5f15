"""torchvision.models.vgg."""
import torch
from torch import nn

from torchvision.models._api import weights_of

cfgs = {
    "A": [64, "M", 128, "M", 256, 256, "M", 512, 512, "M", 512, 512, "M"],
    "B": [64, 64, "M", 128, 128, "M", 256, 256, "M", 512, 512, "M", 512, 512, "M"],
    "D": [64, 64, "M", 128, 128, "M", 256, 256, 256, "M", 512, 512, 512, "M", 512, 512, 512, "M"],
    "E": [64, 64, "M", 128, 128, "M", 256, 256, 256, 256, "M", 512, 512, 512, 512, "M", 512, 512, 512, 512, "M"],
}


class VGG(nn.Module):
    def __init__(self, features, num_classes=1000, init_weights=True, dropout=0.5):
        super().__init__()
        self.features = features
        self.avgpool = nn.AdaptiveAvgPool2d((7, 7))
        self.classifier = nn.Sequential(nn.Linear(512 * 7 * 7, 4096), nn.ReLU(True), nn.Dropout(p=dropout), nn.Linear(4096, 4096), nn.ReLU(True),
                                        nn.Dropout(p=dropout), nn.Linear(4096, num_classes))

    def forward(self, x):
        return self.classifier(torch.flatten(self.avgpool(self.features(x)), 1))


def make_layers(cfg, batch_norm=False):
    layers, in_channels = [], 3
    for v in cfg:
        if v == "M":
            layers += [nn.MaxPool2d(kernel_size=2, stride=2)]
        else:
            conv2d = nn.Conv2d(in_channels, v, kernel_size=3, padding=1)
            layers += [conv2d, nn.BatchNorm2d(v), nn.ReLU(inplace=True)] if batch_norm else [conv2d, nn.ReLU(inplace=True)]
            in_channels = v
    return nn.Sequential(*layers)


def _vgg(cfg, batch_norm, weights=None, progress=True, pretrained=False, **kwargs):
    return VGG(make_layers(cfgs[cfg], batch_norm=batch_norm), **kwargs)


def vgg11(weights=None, progress=True, **kwargs):
    return _vgg("A", False, weights, progress, **kwargs)


def vgg11_bn(weights=None, progress=True, **kwargs):
    return _vgg("A", True, weights, progress, **kwargs)


def vgg13(weights=None, progress=True, **kwargs):
    return _vgg("B", False, weights, progress, **kwargs)


def vgg13_bn(weights=None, progress=True, **kwargs):
    return _vgg("B", True, weights, progress, **kwargs)


def vgg16(weights=None, progress=True, **kwargs):
    return _vgg("D", False, weights, progress, **kwargs)


def vgg16_bn(weights=None, progress=True, **kwargs):
    return _vgg("D", True, weights, progress, **kwargs)


def vgg19(weights=None, progress=True, **kwargs):
    return _vgg("E", False, weights, progress, **kwargs)


def vgg19_bn(weights=None, progress=True, **kwargs):
    return _vgg("E", True, weights, progress, **kwargs)


VGG11_Weights = VGG13_Weights = VGG16_Weights = VGG19_Weights = VGG16_BN_Weights = VGG19_BN_Weights = VGG11_BN_Weights = VGG13_BN_Weights = weights_of()
