"""timm.models.vision_transformer, as of timm 1.0, with the pooling of a token, an average or none."""
import torch
import torch.nn.functional as F
from torch import nn

from timm.layers import DropPath, Mlp, PatchEmbed, lecun_normal_, to_2tuple, trunc_normal_

LayerNorm = nn.LayerNorm


def _cfg(url="", **kwargs):
    return {"url": url, "num_classes": 1000, "input_size": (3, 224, 224), "pool_size": None, "crop_pct": 0.9, "interpolation": "bicubic",
            "fixed_input_size": True, "mean": (0.5, 0.5, 0.5), "std": (0.5, 0.5, 0.5), "first_conv": "patch_embed.proj", "classifier": "head",
            **kwargs}


default_cfgs = {}


def init_weights_vit_timm(module, name=""):
    pass


def _load_weights(model, checkpoint_path, prefix=""):
    pass


def checkpoint_filter_fn(state_dict, model):
    return state_dict


class Attention(nn.Module):
    def __init__(self, dim, num_heads=8, qkv_bias=False, qk_norm=False, scale_norm=False, proj_bias=True, attn_drop=0.0, proj_drop=0.0,
                 norm_layer=None, attn_head_dim=None, dim_out=None, device=None, dtype=None, depth=0, **kwargs):
        super().__init__()
        if attn_head_dim is not None or dim_out is not None:
            raise NotImplementedError("this form of Attention is not followed")
        assert dim % num_heads == 0, "dim should be divisible by num_heads"
        norm_layer = norm_layer or LayerNorm
        self.num_heads = num_heads
        self.head_dim = dim // num_heads
        self.scale = self.head_dim ** -0.5
        self.fused_attn = True
        self.qkv = nn.Linear(dim, dim * 3, bias=qkv_bias)
        self.q_norm = norm_layer(self.head_dim) if qk_norm else nn.Identity()
        self.k_norm = norm_layer(self.head_dim) if qk_norm else nn.Identity()
        self.attn_drop = nn.Dropout(attn_drop)
        self.norm = norm_layer(dim) if scale_norm else nn.Identity()
        self.proj = nn.Linear(dim, dim, bias=proj_bias)
        self.proj_drop = nn.Dropout(proj_drop)

    def forward(self, x, attn_mask=None, is_causal=False):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        q, k = self.q_norm(q), self.k_norm(k)
        x = F.scaled_dot_product_attention(q, k, v)
        x = self.norm(x.transpose(1, 2).reshape(B, N, C))
        return self.proj_drop(self.proj(x))


class LayerScale(nn.Module):
    def __init__(self, dim, init_values=1e-5, inplace=False, device=None, dtype=None):
        super().__init__()
        self.inplace = inplace
        self.gamma = nn.Parameter(torch.empty(dim))

    def forward(self, x):
        return x * self.gamma


class Block(nn.Module):
    def __init__(self, dim, num_heads, mlp_ratio=4.0, qkv_bias=False, qk_norm=False, scale_attn_norm=False, scale_mlp_norm=False,
                 proj_bias=True, proj_drop=0.0, attn_drop=0.0, init_values=None, drop_path=0.0, act_layer=nn.GELU, norm_layer=LayerNorm,
                 mlp_layer=Mlp, attn_layer=Attention, depth=0, device=None, dtype=None):
        super().__init__()
        self.norm1 = norm_layer(dim)
        self.attn = attn_layer(dim, num_heads=num_heads, qkv_bias=qkv_bias, qk_norm=qk_norm, scale_norm=scale_attn_norm, proj_bias=proj_bias,
                               attn_drop=attn_drop, proj_drop=proj_drop, norm_layer=norm_layer)
        self.ls1 = LayerScale(dim, init_values=init_values) if init_values else nn.Identity()
        self.drop_path1 = DropPath(drop_path) if drop_path > 0.0 else nn.Identity()
        self.norm2 = norm_layer(dim)
        self.mlp = mlp_layer(in_features=dim, hidden_features=int(dim * mlp_ratio), act_layer=act_layer,
                             norm_layer=norm_layer if scale_mlp_norm else None, bias=proj_bias, drop=proj_drop)
        self.ls2 = LayerScale(dim, init_values=init_values) if init_values else nn.Identity()
        self.drop_path2 = DropPath(drop_path) if drop_path > 0.0 else nn.Identity()

    def forward(self, x, attn_mask=None, is_causal=False):
        x = x + self.drop_path1(self.ls1(self.attn(self.norm1(x))))
        return x + self.drop_path2(self.ls2(self.mlp(self.norm2(x))))


class VisionTransformer(nn.Module):
    def __init__(self, img_size=224, patch_size=16, in_chans=3, num_classes=1000, global_pool="token", embed_dim=768, depth=12, num_heads=12,
                 mlp_ratio=4.0, qkv_bias=True, qk_norm=False, scale_attn_norm=False, scale_mlp_norm=False, proj_bias=True, init_values=None,
                 class_token=True, pos_embed="learn", no_embed_class=False, reg_tokens=0, pre_norm=False, final_norm=True, fc_norm=None,
                 pool_include_prefix=False, dynamic_img_size=False, dynamic_img_pad=False, drop_rate=0.0, pos_drop_rate=0.0,
                 patch_drop_rate=0.0, proj_drop_rate=0.0, attn_drop_rate=0.0, drop_path_rate=0.0, weight_init="", fix_init=False,
                 embed_layer=PatchEmbed, embed_norm_layer=None, norm_layer=None, act_layer=None, block_fn=Block, mlp_layer=Mlp,
                 attn_layer=Attention, device=None, dtype=None):
        super().__init__()
        assert global_pool in ("", "avg", "avgmax", "max", "token", "map", "prr")
        assert class_token or global_pool != "token"
        if global_pool in ("avgmax", "map", "prr") or dynamic_img_size or patch_drop_rate > 0:
            raise NotImplementedError("this form of VisionTransformer is not followed")
        use_fc_norm = global_pool in ("avg", "max") if fc_norm is None else fc_norm
        norm_layer = norm_layer or LayerNorm
        act_layer = act_layer or nn.GELU
        self.num_classes = num_classes
        self.in_chans = in_chans
        self.global_pool = global_pool
        self.num_features = self.head_hidden_size = self.embed_dim = embed_dim
        self.num_prefix_tokens = (1 if class_token else 0) + reg_tokens
        self.num_reg_tokens = reg_tokens
        self.has_class_token = class_token
        self.no_embed_class = no_embed_class
        self.pool_include_prefix = pool_include_prefix
        self.dynamic_img_size = dynamic_img_size
        self.grad_checkpointing = False
        embed_args = {} if embed_norm_layer is None else {"norm_layer": embed_norm_layer}
        self.patch_embed = embed_layer(img_size=img_size, patch_size=patch_size, in_chans=in_chans, embed_dim=embed_dim, bias=not pre_norm,
                                       dynamic_img_pad=dynamic_img_pad, **embed_args)
        num_patches = self.patch_embed.num_patches
        self.cls_token = nn.Parameter(torch.empty(1, 1, embed_dim)) if class_token else None
        self.reg_token = nn.Parameter(torch.empty(1, reg_tokens, embed_dim)) if reg_tokens else None
        embed_len = num_patches if no_embed_class else num_patches + self.num_prefix_tokens
        self.pos_embed = None if not pos_embed or pos_embed == "none" else nn.Parameter(torch.empty(1, embed_len, embed_dim))
        self.pos_drop = nn.Dropout(p=pos_drop_rate)
        self.patch_drop = nn.Identity()
        self.norm_pre = norm_layer(embed_dim) if pre_norm else nn.Identity()
        dpr = [x.item() for x in torch.linspace(0, drop_path_rate, depth)]
        self.blocks = nn.Sequential(*[
            block_fn(dim=embed_dim, num_heads=num_heads, mlp_ratio=mlp_ratio, qkv_bias=qkv_bias, qk_norm=qk_norm,
                     scale_attn_norm=scale_attn_norm, scale_mlp_norm=scale_mlp_norm, proj_bias=proj_bias, init_values=init_values,
                     proj_drop=proj_drop_rate, attn_drop=attn_drop_rate, drop_path=dpr[i], norm_layer=norm_layer, act_layer=act_layer,
                     mlp_layer=mlp_layer, attn_layer=attn_layer, depth=i, device=None, dtype=None)
            for i in range(depth)])
        self.norm = norm_layer(embed_dim) if final_norm and not use_fc_norm else nn.Identity()
        self.attn_pool = None
        self.fc_norm = norm_layer(embed_dim) if final_norm and use_fc_norm else nn.Identity()
        self.head_drop = nn.Dropout(drop_rate)
        self.head = nn.Linear(embed_dim, num_classes) if num_classes > 0 else nn.Identity()

    def init_weights(self, mode="", needs_reset=True):
        pass

    def _init_weights(self, m):
        pass

    def no_weight_decay(self):
        return {"pos_embed", "cls_token", "dist_token"}

    def get_classifier(self):
        return self.head

    def reset_classifier(self, num_classes, global_pool=None):
        self.num_classes = num_classes
        if global_pool is not None:
            self.global_pool = global_pool
        self.head = nn.Linear(self.embed_dim, num_classes) if num_classes > 0 else nn.Identity()

    def _pos_embed(self, x):
        to_cat = []
        if self.cls_token is not None:
            to_cat.append(self.cls_token.expand(x.shape[0], -1, -1))
        if self.reg_token is not None:
            to_cat.append(self.reg_token.expand(x.shape[0], -1, -1))
        if self.pos_embed is None:
            return torch.cat(to_cat + [x], dim=1)
        if self.no_embed_class:
            x = x + self.pos_embed
            if to_cat:
                x = torch.cat(to_cat + [x], dim=1)
        else:
            if to_cat:
                x = torch.cat(to_cat + [x], dim=1)
            x = x + self.pos_embed
        return self.pos_drop(x)

    def forward_features(self, x, attn_mask=None, is_causal=False):
        x = self._pos_embed(self.patch_embed(x))
        return self.norm(self.blocks(self.norm_pre(self.patch_drop(x))))

    def pool(self, x, pool_type=None):
        pool_type = self.global_pool if pool_type is None else pool_type
        if not pool_type:
            return x
        if pool_type == "token":
            return x[:, 0]
        x = x if self.pool_include_prefix else x[:, self.num_prefix_tokens:]
        return x.amax(dim=1) if pool_type == "max" else x.mean(dim=1)

    def forward_head(self, x, pre_logits=False):
        x = self.head_drop(self.fc_norm(self.pool(x)))
        return x if pre_logits else self.head(x)

    def forward(self, x, attn_mask=None, is_causal=False):
        return self.forward_head(self.forward_features(x))
