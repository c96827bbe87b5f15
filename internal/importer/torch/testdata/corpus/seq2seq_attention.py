# model: Seq2Seq
# input: 10:int64, 7:int64
"""An encoder and a decoder with additive attention, teacher forced, unrolled over a known length."""
import torch
import torch.nn as nn


class Encoder(nn.Module):
    def __init__(self, vocab, dim, hidden):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, hidden, batch_first=True)

    def forward(self, src):
        return self.rnn(self.embed(src))


class Attention(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.attn = nn.Linear(hidden * 2, hidden)
        self.v = nn.Linear(hidden, 1, bias=False)

    def forward(self, hidden, outputs):
        length = outputs.shape[1]
        hidden = hidden.unsqueeze(1).repeat(1, length, 1)
        energy = torch.tanh(self.attn(torch.cat((hidden, outputs), dim=2)))
        return torch.softmax(self.v(energy).squeeze(2), dim=1)


class Decoder(nn.Module):
    def __init__(self, vocab, dim, hidden):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.attention = Attention(hidden)
        self.cell = nn.GRUCell(dim + hidden, hidden)
        self.out = nn.Linear(hidden, vocab)

    def forward(self, token, hidden, outputs):
        a = self.attention(hidden, outputs).unsqueeze(1)
        context = torch.bmm(a, outputs).squeeze(1)
        hidden = self.cell(torch.cat((self.embed(token), context), dim=1), hidden)
        return self.out(hidden), hidden


class Seq2Seq(nn.Module):
    def __init__(self, src_vocab=60, trg_vocab=50, dim=16, hidden=32):
        super().__init__()
        self.encoder = Encoder(src_vocab, dim, hidden)
        self.decoder = Decoder(trg_vocab, dim, hidden)

    def forward(self, src, trg):
        outputs, hidden = self.encoder(src)
        hidden = hidden[-1]
        steps = []
        for t in range(trg.size(1)):
            logits, hidden = self.decoder(trg[:, t], hidden, outputs)
            steps.append(logits)
        return torch.stack(steps, dim=1)
