# model: MoETransformer
# input: 8:int64
"""A dense mixture of experts: every expert runs, the gate weighs them."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Expert(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d_model, d_ff), nn.GELU(), nn.Linear(d_ff, d_model))

    def forward(self, x):
        return self.net(x)


class SoftMoE(nn.Module):
    def __init__(self, d_model, d_ff, n_experts):
        super().__init__()
        self.experts = nn.ModuleList([Expert(d_model, d_ff) for _ in range(n_experts)])
        self.gate = nn.Linear(d_model, n_experts, bias=False)

    def forward(self, x):
        weights = F.softmax(self.gate(x), dim=-1)
        outputs = torch.stack([e(x) for e in self.experts], dim=-2)
        return (outputs * weights.unsqueeze(-1)).sum(dim=-2)


class Block(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, n_experts):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.attn = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.moe = SoftMoE(d_model, d_ff, n_experts)

    def forward(self, x):
        h = self.ln1(x)
        x = x + self.attn(h, h, h, need_weights=False)[0]
        return x + self.moe(self.ln2(x))


class MoETransformer(nn.Module):
    def __init__(self, vocab=50, d_model=32, n_heads=4, d_ff=64, n_experts=4, layers=2, max_len=32):
        super().__init__()
        self.tok = nn.Embedding(vocab, d_model)
        self.pos = nn.Parameter(torch.zeros(1, max_len, d_model))
        self.blocks = nn.ModuleList(Block(d_model, n_heads, d_ff, n_experts) for _ in range(layers))
        self.head = nn.Linear(d_model, vocab)

    def forward(self, ids):
        x = self.tok(ids) + self.pos[:, : ids.shape[1]]
        for b in self.blocks:
            x = b(x)
        return self.head(x)
