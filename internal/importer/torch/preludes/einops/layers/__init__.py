"""einops.layers."""
