"""hf-text.jsonl: models that read pictures or sounds beside text, with a size of what reads them changed.

python3 truth/hf_text.py SEED COUNT > rows.jsonl. Each line is a config, and of the constructor, of a call with 16 tokens alone and of a call
with a picture or sound whether it runs, "" where it does, else the error. The first row of each model type has nothing changed.
Needs transformers 5.17.
"""
import json
import random
import re
import sys
import warnings

import torch
import transformers

warnings.filterwarnings("ignore")
transformers.logging.set_verbosity_error()

TEXT = {"vocab_size": 500, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4,
        "num_key_value_heads": 2, "max_position_embeddings": 2048, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
SPECIAL = 499  # the token whose places are filled
OTHERS = re.compile(r"_id$|vocab|_index$|std|num_channels|num_mel_bins")


def sound(bins, frames, mask=None):
    def call(config):
        a = config.get("audio_config") or config["encoder_config"]
        n = frames(a)
        kw = {"input_features": torch.randn(1, a[bins], n)}
        if mask:
            kw[mask] = torch.ones(1, n, dtype=torch.long)
        return "get_audio_features", kw
    return call


def picture(*lead):
    def call(config):
        side = config["vision_config"]["image_size"]
        return "get_image_features", {"pixel_values": torch.randn(*lead, 3, side, side)}
    return call


CONFIGS = {
    "glmasr": ({"architectures": ["GlmAsrForConditionalGeneration"], "audio_token_id": SPECIAL, "text_config": {"model_type": "llama", **TEXT},
                "audio_config": {"model_type": "glmasr_encoder", "hidden_size": 32, "intermediate_size": 128, "num_hidden_layers": 2,
                                 "num_attention_heads": 4, "num_key_value_heads": 4, "max_position_embeddings": 64, "num_mel_bins": 16}},
               sound("num_mel_bins", lambda a: 2 * a["max_position_embeddings"], "input_features_mask")),
    "voxtral": ({"architectures": ["VoxtralForConditionalGeneration"], "audio_token_id": SPECIAL,
                 "text_config": {"model_type": "llama", "head_dim": 8, **TEXT},
                 "audio_config": {"model_type": "voxtral_encoder", "hidden_size": 32, "intermediate_size": 128, "num_hidden_layers": 2,
                                  "num_attention_heads": 4, "max_source_positions": 64, "num_mel_bins": 16}},
                sound("num_mel_bins", lambda a: 2 * a["max_source_positions"])),
    "audioflamingo3": ({"architectures": ["AudioFlamingo3ForConditionalGeneration"], "audio_token_id": SPECIAL,
                        "text_config": {"model_type": "qwen2", **TEXT},
                        "audio_config": {"model_type": "audioflamingo3_encoder", "hidden_size": 32, "intermediate_size": 64,
                                         "num_hidden_layers": 2, "num_attention_heads": 4, "max_source_positions": 64, "num_mel_bins": 16}},
                       sound("num_mel_bins", lambda a: 2 * a["max_source_positions"], "input_features_mask")),
    "granite_speech": ({"architectures": ["GraniteSpeechForConditionalGeneration"], "audio_token_id": SPECIAL, "has_lora_adapter": False,
                        "downsample_rate": 5, "window_size": 15, "text_config": {"model_type": "granite", **TEXT},
                        "encoder_config": {"model_type": "granite_speech_encoder", "input_dim": 16, "hidden_dim": 32, "num_layers": 2, "num_heads": 4,
                                           "dim_head": 8, "feedforward_mult": 2, "output_dim": 12, "context_size": 20, "max_pos_emb": 32,
                                           "conv_kernel_size": 5, "conv_expansion_factor": 2},
                        "projector_config": {"model_type": "blip_2_qformer", "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1,
                                             "num_attention_heads": 4, "encoder_hidden_size": 32}},
                       lambda c: ("get_audio_features", {"input_features": torch.randn(1, 60, c["encoder_config"]["input_dim"])})),
    "got_ocr2": ({"architectures": ["GotOcr2ForConditionalGeneration"], "image_token_id": SPECIAL, "text_config": {"model_type": "qwen2", **TEXT},
                  "vision_config": {"model_type": "", "hidden_size": 32, "output_channels": 16, "num_hidden_layers": 2, "num_attention_heads": 4,
                                    "image_size": 256, "patch_size": 16, "window_size": 7, "global_attn_indexes": [1], "mlp_dim": 64}},
                 picture(1)),
    "gemma3": ({"architectures": ["Gemma3ForConditionalGeneration"], "image_token_index": SPECIAL, "boi_token_index": 3,
                "eoi_token_index": 4, "mm_tokens_per_image": 4, "text_config": {"model_type": "gemma3_text", "head_dim": 8, **TEXT},
                "vision_config": {"model_type": "siglip_vision_model", "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
                                  "num_attention_heads": 4, "image_size": 64, "patch_size": 8}},
               picture(1)),
    "modernvbert": ({"architectures": ["ModernVBertForMaskedLM"], "image_token_id": SPECIAL, "pixel_shuffle_factor": 2,
                     "text_config": {"model_type": "modernbert", **TEXT},
                     "vision_config": {"model_type": "siglip_vision_model", "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
                                       "num_attention_heads": 4, "image_size": 64, "patch_size": 8}},
                    picture(1, 1)),  # one picture of one text
}


def error(e):
    return f"{type(e).__name__}: {e}".splitlines()[0][:160]


def called(call):
    try:
        with torch.no_grad():
            return call(), ""
    except Exception as e:
        return None, error(e)


def features(model, name, kw):
    """How many places of the text the picture or sound fills."""
    out = getattr(model, name, None) or getattr(model.model, name)
    out = out(**kw)
    out = getattr(out, "pooler_output", None) if not torch.is_tensor(out) else out
    if isinstance(out, (list, tuple)):
        out = torch.cat([o.reshape(-1, o.shape[-1]) for o in out])
    return out.reshape(-1, out.shape[-1]).shape[0]


def measure(config, inputs):
    row = {"built": "", "text": "", "read": ""}
    try:
        torch.manual_seed(0)
        model = getattr(transformers, config["architectures"][0])(transformers.CONFIG_MAPPING[config["model_type"]].from_dict(json.loads(json.dumps(config))))
        model.eval()
        row["params"] = sum({id(p): p.numel() for p in model.parameters()}.values())
    except Exception as e:
        return {"built": error(e)}
    ids = torch.randint(5, 400, (1, 16))
    _, row["text"] = called(lambda: model(input_ids=ids, attention_mask=torch.ones_like(ids)))
    kw, row["read"] = called(lambda: inputs(config))
    if row["read"]:
        return row
    count, row["read"] = called(lambda: features(model, *kw))
    if not row["read"]:
        ids = torch.cat([ids, torch.full((1, count), SPECIAL)], 1)
        _, row["read"] = called(lambda: model(input_ids=ids, attention_mask=torch.ones_like(ids), **kw[1]))
    return row


def places(config, path=()):
    for key, value in config.items():
        if isinstance(value, dict):
            if key != "text_config":
                yield from places(value, (*path, key))
        elif type(value) is int and value > 0 and not OTHERS.search(key):
            yield config, key, ".".join((*path, key))


def changed(config, rand):
    config, edits = json.loads(json.dumps(config)), []
    for _ in range(rand.choice([1, 1, 1, 2])):
        owner, key, path = rand.choice(list(places(config)))
        n = owner[key]
        owner[key] = rand.choice([n + 1, max(1, n - 1), n + 2, 3, 5, 7, n * 2, max(1, n // 2)])
        if "layers" in key:
            owner[key] = min(owner[key], 3)
        edits.append(path)
    return config, edits


def main(seed, count):
    rand = random.Random(int(seed))
    for model_type, (config, inputs) in CONFIGS.items():
        config = {"model_type": model_type, **config}
        for i in range(int(count)):
            one, edits = changed(config, rand) if i else (config, [])
            print(json.dumps({"edits": edits, "config": one, **measure(one, inputs)}, separators=(",", ":")), flush=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(*sys.argv[1:])
