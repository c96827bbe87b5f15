# model: CNNLSTM
# input: 5x3x24x24
"""Frames are folded into the batch for the convolutions and taken out again for the recurrence."""
import torch
import torch.nn as nn


class CNNLSTM(nn.Module):
    def __init__(self, num_classes=4):
        super().__init__()
        self.cnn = nn.Sequential(
            nn.Conv2d(3, 8, 3, stride=2), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 16, 3, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d((1, 1))
        )
        self.lstm = nn.LSTM(input_size=16, hidden_size=24, num_layers=1, batch_first=True)
        self.fc = nn.Linear(24, num_classes)

    def forward(self, x):
        batch_size, timesteps, C, H, W = x.size()
        c_in = x.view(batch_size * timesteps, C, H, W)
        c_out = self.cnn(c_in)
        r_in = c_out.view(batch_size, timesteps, -1)
        r_out, (h_n, h_c) = self.lstm(r_in)
        return self.fc(r_out[:, -1, :])
