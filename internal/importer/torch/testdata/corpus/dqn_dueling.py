# model: DuelingDQN
# input: 4x84x84
import torch
import torch.nn as nn


class DuelingDQN(nn.Module):
    """The size of the flattened features is found by running the convolutions once on zeros."""

    def __init__(self, input_shape=(4, 84, 84), num_actions=6):
        super().__init__()
        self.input_shape = input_shape
        self.num_actions = num_actions
        self.features = nn.Sequential(
            nn.Conv2d(input_shape[0], 32, kernel_size=8, stride=4), nn.ReLU(), nn.Conv2d(32, 64, kernel_size=4, stride=2), nn.ReLU(),
            nn.Conv2d(64, 64, kernel_size=3, stride=1), nn.ReLU(),
        )
        self.advantage = nn.Sequential(nn.Linear(self.feature_size(), 128), nn.ReLU(), nn.Linear(128, num_actions))
        self.value = nn.Sequential(nn.Linear(self.feature_size(), 128), nn.ReLU(), nn.Linear(128, 1))

    def forward(self, x):
        x = x / 255.0
        x = self.features(x)
        x = x.reshape(x.size(0), -1)
        advantage = self.advantage(x)
        value = self.value(x)
        return value + advantage - advantage.mean(dim=1, keepdim=True)

    def feature_size(self):
        return self.features(torch.zeros(1, *self.input_shape)).view(1, -1).size(1)
