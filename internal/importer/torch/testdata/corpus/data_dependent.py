# model: EarlyExit
# input: 16
"""Control flow that depends on values: no graph says what happens."""
import torch
import torch.nn as nn


class EarlyExit(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(16, 8)
        self.exit = nn.Linear(8, 2)
        self.second = nn.Linear(8, 8)
        self.last = nn.Linear(8, 2)

    def forward(self, x):
        h = torch.relu(self.first(x))
        early = self.exit(h)
        if early.softmax(-1).max() > 0.9:
            return early
        return self.last(torch.relu(self.second(h)))
