import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 3)  # 😀 a comment
        self.fc = nn.Linear(14000, 10)

    def forward(self, x):
        x = self.conv(x)
        x = torch.relu(x)
        x = x.flatten(1)
        return self.fc(x)


net = Net()
net(torch.randn(4, 3, 32, 32))
