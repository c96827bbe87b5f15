"""Prints, for models of the installed torchvision beyond the classifiers that were measured, how many parameters they have."""
import contextlib
import json
import sys

import torch
import torchvision.models as m
from torchvision.models import detection, optical_flow, quantization, segmentation, video

NO_BACKBONE = {"weights_backbone": "None"}
CASES = [("torchvision/models/regnet.py", m, n, [3, 224, 224], {}) for n in (
    "regnet_y_400mf", "regnet_y_800mf", "regnet_y_1_6gf", "regnet_y_3_2gf", "regnet_y_8gf", "regnet_x_400mf", "regnet_x_800mf", "regnet_x_1_6gf", "regnet_x_3_2gf")]
CASES += [("torchvision/models/segmentation/%s.py" % f, segmentation, n, [3, 224, 224], NO_BACKBONE) for f, n in (
    ("fcn", "fcn_resnet50"), ("fcn", "fcn_resnet101"), ("deeplabv3", "deeplabv3_resnet50"), ("deeplabv3", "deeplabv3_mobilenet_v3_large"), ("lraspp", "lraspp_mobilenet_v3_large"))]
CASES += [("torchvision/models/video/%s.py" % f, video, n, shape, {}) for f, n, shape in (
    ("resnet", "r3d_18", [3, 8, 112, 112]), ("resnet", "mc3_18", [3, 8, 112, 112]), ("resnet", "r2plus1d_18", [3, 8, 112, 112]),
    ("mvit", "mvit_v1_b", [3, 16, 224, 224]), ("mvit", "mvit_v2_s", [3, 16, 224, 224]), ("s3d", "s3d", [3, 64, 224, 224]))]
CASES += [("torchvision/models/detection/%s.py" % f, detection, n, [3, 224, 224], NO_BACKBONE) for f, n in (
    ("faster_rcnn", "fasterrcnn_resnet50_fpn"), ("retinanet", "retinanet_resnet50_fpn"), ("ssd", "ssd300_vgg16"), ("fcos", "fcos_resnet50_fpn"), ("ssdlite", "ssdlite320_mobilenet_v3_large"))]
CASES += [("torchvision/models/optical_flow/raft.py", optical_flow, "raft_small", [3, 128, 128], {})]
CASES += [("torchvision/models/quantization/%s.py" % f, quantization, n, [3, 224, 224], {}) for f, n in (("resnet", "resnet18"), ("mobilenetv2", "mobilenet_v2"))]

for name in torch.nn.init.__dict__:
    if name.endswith("_") and not name.startswith("_"):
        setattr(torch.nn.init, name, lambda tensor, *args, **kwargs: tensor)  # weights are counted, so that none need be drawn

out = []
with contextlib.redirect_stdout(sys.stderr):
    for file, package, name, shape, args in CASES:
        factory = getattr(package, name, None)
        if factory is None:
            continue
        model = factory(weights=None, **{k: None for k in args})
        out.append({"file": file, "name": name, "input": shape, "args": args, "params": sum(p.numel() for p in model.parameters())})
json.dump(out, sys.stdout)
