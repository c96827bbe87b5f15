# model: TextCNN
# input: 30:int64
# arg: args=Args()
import torch
import torch.nn as nn
import torch.nn.functional as F


class Args:
    embed_num = 100
    embed_dim = 16
    class_num = 4
    kernel_num = 10
    kernel_sizes = [3, 4, 5]
    dropout = 0.5
    static = False


class TextCNN(nn.Module):
    def __init__(self, args):
        super(TextCNN, self).__init__()
        self.args = args
        V, D, C, Ci, Co, Ks = args.embed_num, args.embed_dim, args.class_num, 1, args.kernel_num, args.kernel_sizes
        self.embed = nn.Embedding(V, D)
        self.convs = nn.ModuleList([nn.Conv2d(Ci, Co, (K, D)) for K in Ks])
        self.dropout = nn.Dropout(args.dropout)
        self.fc1 = nn.Linear(len(Ks) * Co, C)
        if self.args.static:
            self.embed.weight.requires_grad = False

    def forward(self, x):
        x = self.embed(x)
        x = x.unsqueeze(1)
        x = [F.relu(conv(x)).squeeze(3) for conv in self.convs]
        x = [F.max_pool1d(i, i.size(2)).squeeze(2) for i in x]
        x = torch.cat(x, 1)
        x = self.dropout(x)
        return self.fc1(x)
