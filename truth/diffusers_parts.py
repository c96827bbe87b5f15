"""What diffusers builds from configs of its parts: python3 diffusers_parts.py OUT.jsonl [--seed N] [--rows N]

A row is the config of an AutoencoderKL, a UNet2DConditionModel or a FluxTransformer2DModel, the number of its trained parameters, and the digest of
their names and shapes; or, where the constructor raises, the error. Published sizes come first; then as many that were drawn, with changed numbers.
Everything is built on the meta device, so that nothing is allocated. Needs diffusers and accelerate.
"""
import argparse, hashlib, json, random, warnings
import diffusers, torch
from accelerate import init_empty_weights

warnings.filterwarnings("ignore")
if not hasattr(torch.nn.functional, "scaled_dot_product_attention"):
    torch.nn.functional.scaled_dot_product_attention = None  # before PyTorch 2: constructors only ask whether it is there

SD_VAE = dict(block_out_channels=[128, 256, 512, 512], layers_per_block=2, latent_channels=4, sample_size=512,
              down_block_types=["DownEncoderBlock2D"] * 4, up_block_types=["UpDecoderBlock2D"] * 4)
CROSS, UP = ["CrossAttnDownBlock2D"] * 3 + ["DownBlock2D"], ["UpBlock2D"] + ["CrossAttnUpBlock2D"] * 3
PUBLISHED = [
    ("AutoencoderKL", SD_VAE),
    ("AutoencoderKL", {**SD_VAE, "sample_size": 1024}),
    ("AutoencoderKL", {**SD_VAE, "latent_channels": 16, "use_quant_conv": False, "use_post_quant_conv": False, "sample_size": 1024}),
    ("UNet2DConditionModel", dict(cross_attention_dim=768, sample_size=64)),
    ("UNet2DConditionModel", dict(cross_attention_dim=1024, sample_size=96, attention_head_dim=[5, 10, 20, 20], use_linear_projection=True)),
    ("UNet2DConditionModel", dict(cross_attention_dim=768, sample_size=64, in_channels=9)),
    ("UNet2DConditionModel", dict(
        cross_attention_dim=2048, sample_size=128, block_out_channels=[320, 640, 1280], attention_head_dim=[5, 10, 20], use_linear_projection=True,
        transformer_layers_per_block=[1, 2, 10], down_block_types=["DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"],
        up_block_types=["CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"], addition_embed_type="text_time", addition_time_embed_dim=256,
        projection_class_embeddings_input_dim=2816)),
    ("FluxTransformer2DModel", dict(guidance_embeds=True)),
    ("FluxTransformer2DModel", dict(guidance_embeds=False)),
]


def vae(r):
    n = r.randint(1, 4)
    c = dict(block_out_channels=[r.choice([4, 8, 16, 24]) for _ in range(n)], layers_per_block=r.randint(1, 3), latent_channels=r.randint(1, 16),
             norm_num_groups=r.choice([1, 2, 4]), sample_size=16 * r.randint(1, 3), in_channels=r.randint(1, 4), out_channels=r.randint(1, 4),
             down_block_types=["DownEncoderBlock2D"] * n, up_block_types=["UpDecoderBlock2D"] * n)
    for key in ("use_quant_conv", "use_post_quant_conv", "mid_block_add_attention"):
        if r.random() < 0.3:
            c[key] = False
    return "AutoencoderKL", c


def unet(r):
    n = r.randint(1, 4)
    looks = [r.random() < 0.6 for _ in range(n)]
    c = dict(block_out_channels=[r.choice([8, 16, 24, 40]) for _ in range(n)], layers_per_block=r.randint(1, 3), norm_num_groups=r.choice([1, 2, 4]),
             cross_attention_dim=r.choice([8, 12, 32]), sample_size=16 * r.randint(1, 2), in_channels=r.randint(1, 9), out_channels=r.randint(1, 8),
             attention_head_dim=r.choice([1, 2, 4, 8]),
             down_block_types=["CrossAttnDownBlock2D" if x else "DownBlock2D" for x in looks],
             up_block_types=["CrossAttnUpBlock2D" if x else "UpBlock2D" for x in reversed(looks)])
    if r.random() < 0.5:
        c["use_linear_projection"] = True
    if r.random() < 0.4:
        c["transformer_layers_per_block"] = [r.randint(1, 3) for _ in range(n)]
    if r.random() < 0.3:
        c["attention_head_dim"] = [r.choice([1, 2, 4, 8]) for _ in range(n)]
    if r.random() < 0.2:
        c["layers_per_block"] = [r.randint(1, 2) for _ in range(n)]
    if r.random() < 0.2:
        c["only_cross_attention"] = [r.random() < 0.5 for _ in range(n)]
    if r.random() < 0.3:
        c.update(addition_embed_type="text_time", addition_time_embed_dim=r.randint(1, 8), projection_class_embeddings_input_dim=r.randint(1, 40))
    if r.random() < 0.2:
        c["num_class_embeds"] = r.randint(1, 9)
    elif r.random() < 0.2:
        c.update(class_embed_type="projection", projection_class_embeddings_input_dim=r.randint(1, 40))
    if r.random() < 0.2:
        c["time_cond_proj_dim"] = r.randint(1, 16)
    for key in ("conv_in_kernel", "conv_out_kernel"):
        if r.random() < 0.2:
            c[key] = r.choice([1, 3, 5])
    if r.random() < 0.15:
        c["mid_block_type"] = None
    return "UNet2DConditionModel", c


def flux(r):
    axes = [2 * r.randint(1, 4) for _ in range(3)]
    return "FluxTransformer2DModel", dict(
        patch_size=1, in_channels=r.randint(1, 16) * 4, num_layers=r.randint(1, 3), num_single_layers=r.randint(1, 4), attention_head_dim=sum(axes),
        num_attention_heads=r.randint(1, 6), joint_attention_dim=r.randint(1, 40), pooled_projection_dim=r.randint(1, 40),
        guidance_embeds=r.random() < 0.5, axes_dims_rope=axes)


def row(name, config):
    out = dict(config={"_class_name": name, **config})
    try:
        with init_empty_weights():
            m = getattr(diffusers, name)(**config)
    except Exception as e:  # noqa: BLE001
        return dict(**out, error=(type(e).__name__ + ": " + str(e).split("\n")[0])[:160])
    names = sorted(f"{k} {list(p.shape)}" for k, p in m.named_parameters())
    digest = hashlib.sha256("\n".join(names).encode()).hexdigest()
    return dict(**out, params=sum(p.numel() for p in m.parameters()), tensors=len(names), digest=digest)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("out")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--rows", type=int, default=40, help="drawn configs of each class")
    a = ap.parse_args()
    r = random.Random(a.seed)
    with open(a.out, "w") as f:
        for name, config in PUBLISHED + [draw(r) for draw in (vae, unet, flux) for _ in range(a.rows)]:
            f.write(json.dumps(row(name, config), separators=(",", ":")) + "\n")
            f.flush()


if __name__ == "__main__":
    main()
