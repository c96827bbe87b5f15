# model: Tagger
# input: 12:int64
import torch.nn as nn
import torch.nn.functional as F


class Tagger(nn.Module):
    """Tags every word; the recurrent layer has the sequence first."""

    vocab, tags = 100, 9

    def __init__(self, dim=24, hidden=40):
        nn.Module.__init__(self)
        self.emb = nn.Embedding(self.vocab, dim)
        self.gru = nn.GRU(dim, hidden, bidirectional=True)
        self.out = nn.Linear(2 * hidden, self.tags)

    def forward(self, words):
        x = self.emb(words).permute(1, 0, 2)
        x, _ = self.gru(x)
        x = x.permute(1, 0, 2)
        return F.log_softmax(self.out(x), dim=-1)
