# for: torchaudio.transforms.MelSpectrogram
class MelSpectrogram(nn.Module):
    """A power spectrum gathered into triangles that are evenly spaced on the HTK mel scale."""

    def __init__(
        self,
        sample_rate=16000,
        n_fft=400,
        win_length=None,
        hop_length=None,
        n_mels=128,
        center=True,
        power=2.0,
    ):
        super().__init__()
        win = n_fft if win_length is None else win_length
        self.sizes = n_fft, win // 2 if hop_length is None else hop_length, win
        self.center, self.power = center, power
        frequency = torch.linspace(0, sample_rate // 2, n_fft // 2 + 1)
        top = 2595 * math.log10(1 + sample_rate / 2 / 700)
        corner = 700 * (10 ** (torch.linspace(0, top, n_mels + 2) / 2595) - 1)
        width, away = corner.diff(), corner - frequency[:, None]
        rise, fall = -away[:, :-2] / width[:-1], away[:, 2:] / width[1:]
        self.register_buffer("filters", torch.minimum(rise, fall).clamp(min=0), persistent=False)
        self.register_buffer("window", torch.hann_window(win), persistent=False)

    def forward(self, x):
        flat = x.reshape(-1, x.shape[-1])
        y = torch.stft(flat, *self.sizes, self.window, self.center, return_complex=True)
        y = y.abs().pow(self.power).transpose(1, 2) @ self.filters
        return y.transpose(1, 2).reshape(*x.shape[:-1], *y.shape[:0:-1])
