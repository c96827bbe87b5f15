# model: ActorCritic
# input: 8
import torch.nn as nn
from collections import namedtuple

Output = namedtuple("Output", ["policy", "value"])


def mlp(sizes, activation, output_activation=nn.Identity):
    layers = []
    for j in range(len(sizes) - 1):
        act = activation if j < len(sizes) - 2 else output_activation
        layers += [nn.Linear(sizes[j], sizes[j + 1]), act()]
    return nn.Sequential(*layers)


class ActorCritic(nn.Module):
    def __init__(self, obs_dim=8, act_dim=3, hidden_sizes=(64, 64), activation=nn.Tanh):
        super().__init__()
        self.pi = mlp([obs_dim] + list(hidden_sizes) + [act_dim], activation, lambda: nn.LogSoftmax(dim=-1))
        self.v = mlp([obs_dim] + list(hidden_sizes) + [1], activation)

    def forward(self, obs):
        return Output(policy=self.pi(obs), value=self.v(obs).squeeze(-1))
