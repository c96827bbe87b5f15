# model: NCF
# input: 2:int64
import torch
from torch import nn


class NCF(nn.Module):
    def __init__(self, num_users=50, num_items=40, mf_dim=8, layers=[32, 16, 8]):
        super().__init__()
        self.gmf_user = nn.Embedding(num_users, mf_dim)
        self.gmf_item = nn.Embedding(num_items, mf_dim)
        self.mlp_user = nn.Embedding(num_users, layers[0] // 2)
        self.mlp_item = nn.Embedding(num_items, layers[0] // 2)
        self.fc_layers = nn.ModuleList()
        for idx, (in_size, out_size) in enumerate(zip(layers[:-1], layers[1:])):
            self.fc_layers.append(nn.Linear(in_size, out_size))
        self.affine_output = nn.Linear(layers[-1] + mf_dim, 1)
        self.logistic = nn.Sigmoid()

    def forward(self, pairs):
        user, item = pairs[:, 0], pairs[:, 1]
        mlp_vector = torch.cat([self.mlp_user(user), self.mlp_item(item)], dim=-1)
        mf_vector = torch.mul(self.gmf_user(user), self.gmf_item(item))
        for idx, _ in enumerate(range(len(self.fc_layers))):
            mlp_vector = self.fc_layers[idx](mlp_vector)
            mlp_vector = nn.ReLU()(mlp_vector)
        vector = torch.cat([mlp_vector, mf_vector], dim=-1)
        return self.logistic(self.affine_output(vector))
