# model: PackedTagger
# input: 9:int64
"""Sequences are packed before the recurrent layer and padded again behind it."""
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class PackedTagger(nn.Module):
    def __init__(self, vocab=40, dim=12, hidden=20, tags=5):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.lstm = nn.LSTM(dim, hidden, batch_first=True)
        self.out = nn.Linear(hidden, tags)

    def forward(self, ids):
        lengths = torch.full((ids.size(0),), ids.size(1), dtype=torch.long)
        x = pack_padded_sequence(self.embed(ids), lengths, batch_first=True, enforce_sorted=False)
        x, _ = self.lstm(x)
        x, _ = pad_packed_sequence(x, batch_first=True)
        return self.out(x)
