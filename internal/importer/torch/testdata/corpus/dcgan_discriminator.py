# model: Discriminator
# input: 3x64x64
import torch.nn as nn


def block(in_filters, out_filters, bn=True):
    layers = [nn.Conv2d(in_filters, out_filters, 3, 2, 1), nn.LeakyReLU(0.2, inplace=True), nn.Dropout2d(0.25)]
    if bn:
        layers.append(nn.BatchNorm2d(out_filters, 0.8))
    return layers


class Discriminator(nn.Module):
    def __init__(self, img_size=64, channels=3):
        super().__init__()
        self.model = nn.Sequential(*block(channels, 16, bn=False), *block(16, 32), *block(32, 64), *block(64, 128))
        ds_size = img_size // 2**4
        self.adv_layer = nn.Sequential(nn.Linear(128 * ds_size**2, 1), nn.Sigmoid())

    def forward(self, img):
        out = self.model(img)
        out = out.view(out.shape[0], -1)
        return self.adv_layer(out)
