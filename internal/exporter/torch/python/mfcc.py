# for: torchaudio.transforms.MFCC
class MFCC(nn.Module):
    """The cosine transform of a mel spectrum in decibels, of which 80 below the peak are kept."""

    def __init__(self, sample_rate=16000, n_mfcc=40, melkwargs=None):
        super().__init__()
        self.mel = torchaudio.transforms.MelSpectrogram(sample_rate, **(melkwargs or {}))
        bands = self.mel.filters.shape[1]
        angle = math.pi / bands * (torch.arange(bands) + 0.5)[:, None] * torch.arange(n_mfcc)
        basis = angle.cos() * math.sqrt(2.0 / bands)
        basis[:, 0] /= math.sqrt(2.0)
        self.register_buffer("basis", basis, persistent=False)

    def forward(self, x):
        y = 10 * torch.log10(self.mel(x).clamp(min=1e-10))
        axes = tuple(range(max(0, y.dim() - 3), y.dim()))
        y = torch.maximum(y, y.amax(axes, keepdim=True) - 80.0)
        return (y.transpose(-1, -2) @ self.basis).transpose(-1, -2)
