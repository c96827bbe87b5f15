# model: DETRdemo
# input: 3x64x64
# arg: num_classes=5
"""A detector with learned queries; one box and one class for each."""
import torch
from torch import nn


class DETRdemo(nn.Module):
    def __init__(self, num_classes, hidden_dim=32, nheads=4, num_encoder_layers=1, num_decoder_layers=1):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(3, 16, 7, 4, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 48, 3, 4, 1), nn.BatchNorm2d(48), nn.ReLU()
        )
        self.conv = nn.Conv2d(48, hidden_dim, 1)
        self.transformer = nn.Transformer(hidden_dim, nheads, num_encoder_layers, num_decoder_layers, dim_feedforward=64)
        self.linear_class = nn.Linear(hidden_dim, num_classes + 1)
        self.linear_bbox = nn.Linear(hidden_dim, 4)
        self.query_pos = nn.Parameter(torch.rand(10, hidden_dim))
        self.row_embed = nn.Parameter(torch.rand(50, hidden_dim // 2))
        self.col_embed = nn.Parameter(torch.rand(50, hidden_dim // 2))

    def forward(self, inputs):
        x = self.backbone(inputs)
        h = self.conv(x)
        B = inputs.shape[0]
        H, W = h.shape[-2:]
        pos = torch.cat(
            [self.col_embed[:W].unsqueeze(0).repeat(H, 1, 1), self.row_embed[:H].unsqueeze(1).repeat(1, W, 1)], dim=-1
        ).flatten(0, 1).unsqueeze(1)
        h = self.transformer(pos + 0.1 * h.flatten(2).permute(2, 0, 1), self.query_pos.unsqueeze(1).repeat(1, B, 1)).transpose(0, 1)
        return {"pred_logits": self.linear_class(h), "pred_boxes": self.linear_bbox(h).sigmoid()}
