# model: ConvAutoencoder
# input: 3x32x32
import torch.nn as nn


class View(nn.Module):
    def __init__(self, *shape):
        super().__init__()
        self.shape = shape

    def forward(self, x):
        return x.view(-1, *self.shape)


class ConvAutoencoder(nn.Module):
    def __init__(self, channels=(3, 16, 32), latent=24):
        super().__init__()
        enc, dec = [], []
        for i, o in zip(channels[:-1], channels[1:]):
            enc += [nn.Conv2d(i, o, 3, stride=2, padding=1), nn.ELU()]
        for i, o in zip(channels[:0:-1], channels[-2::-1]):
            dec += [nn.ConvTranspose2d(i, o, 3, stride=2, padding=1, output_padding=1), nn.ELU()]
        dec[-1] = nn.Sigmoid()
        self.encoder = nn.Sequential(*enc, nn.Flatten(), nn.Linear(channels[-1] * 64, latent))
        self.decoder = nn.Sequential(nn.Linear(latent, channels[-1] * 64), View(channels[-1], 8, 8), *dec)

    def forward(self, x):
        z = self.encoder(x)
        return {"reconstruction": self.decoder(z), "latent": z}
