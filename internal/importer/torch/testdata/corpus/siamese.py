# model: SiameseNetwork
# input: 1x32x32, 1x32x32
import torch
import torch.nn as nn
import torch.nn.functional as F


class SiameseNetwork(nn.Module):
    def __init__(self):
        super().__init__()
        self.cnn = nn.Sequential(
            nn.Conv2d(1, 8, 5), nn.ReLU(inplace=True), nn.MaxPool2d(2, stride=2), nn.Conv2d(8, 16, 5), nn.ReLU(inplace=True), nn.MaxPool2d(2)
        )
        self.fc = nn.Sequential(nn.Linear(16 * 5 * 5, 64), nn.ReLU(inplace=True), nn.Linear(64, 16))

    def forward_once(self, x):
        output = self.cnn(x)
        output = output.view(output.size()[0], -1)
        return self.fc(output)

    def forward(self, input1, input2):
        output1 = self.forward_once(input1)
        output2 = self.forward_once(input2)
        return F.cosine_similarity(output1, output2)
