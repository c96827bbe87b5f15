# model: Seq2SeqTransformer
# input: 9:int64, 7:int64
import torch
import torch.nn as nn
from torch.nn import Transformer


class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, emb_size):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_size)
        self.emb_size = emb_size

    def forward(self, tokens):
        return self.embedding(tokens.long()) * (self.emb_size**0.5)


class Seq2SeqTransformer(nn.Module):
    def __init__(self, layers=2, emb_size=32, nhead=4, src_vocab=70, tgt_vocab=60, ff=64, dropout=0.1):
        super().__init__()
        self.transformer = Transformer(d_model=emb_size, nhead=nhead, num_encoder_layers=layers, num_decoder_layers=layers,
                                       dim_feedforward=ff, dropout=dropout, batch_first=True)
        self.generator = nn.Linear(emb_size, tgt_vocab)
        self.src_tok_emb = TokenEmbedding(src_vocab, emb_size)
        self.tgt_tok_emb = TokenEmbedding(tgt_vocab, emb_size)

    def forward(self, src, trg):
        mask = self.transformer.generate_square_subsequent_mask(trg.shape[1])
        outs = self.transformer(self.src_tok_emb(src), self.tgt_tok_emb(trg), tgt_mask=mask)
        return self.generator(outs)
