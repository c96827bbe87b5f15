"""einops.layers.torch: Rearrange, Reduce and EinMix."""
import torch
from torch import nn

from _einops import EinopsError, axes, check, rearrange, reduce


class Rearrange(nn.Module):
    def __init__(self, pattern, **axes_lengths):
        super().__init__()
        check(pattern, "rearrange", axes_lengths)
        self.pattern = pattern
        self.axes_lengths = axes_lengths

    def forward(self, input):
        return rearrange(input, self.pattern, **self.axes_lengths)


class Reduce(nn.Module):
    def __init__(self, pattern, reduction, **axes_lengths):
        super().__init__()
        check(pattern, reduction, axes_lengths)
        self.pattern = pattern
        self.reduction = reduction
        self.axes_lengths = axes_lengths

    def forward(self, input):
        return reduce(input, self.pattern, self.reduction, **self.axes_lengths)


def _flat(groups):
    return [axis for group in groups for axis in group]


class EinMix(nn.Module):
    def __init__(self, pattern, weight_shape, bias_shape=None, **axes_lengths):
        super().__init__()
        left_pattern, right_pattern = pattern.split("->")
        left, right, weight = axes(left_pattern), axes(right_pattern), axes(weight_shape)
        lefts, rights, weights = _flat(left), _flat(right), _flat(weight)
        for axis in rights:
            if axis not in lefts and axis not in weights:
                raise EinopsError(f"Unrecognized identifiers on the right side of EinMix {axis}")
        if "..." in weights:
            raise EinopsError("Ellipsis is not supported in weight, as its shape should be fully specified")
        if ("..." in lefts) != ("..." in rights):
            raise EinopsError(f"Ellipsis in EinMix should be on both sides, {pattern}")
        if "(" in weight_shape or ")" in weight_shape:
            raise EinopsError(f"Parenthesis is not allowed in weight shape: {weight_shape}")
        for axis in weights:
            if axis not in axes_lengths:
                raise EinopsError(f"Dimension {axis} of weight should be specified")
            if axis not in lefts and axis not in rights:
                raise EinopsError(f"Weight axes {axis} are redundant")
        for axis in axes_lengths:
            if axis not in lefts and axis not in weights:
                raise EinopsError(f"Axes {axis} are not used in pattern")
        self.pre = self.post = None
        self.lengths = {name: n for name, n in axes_lengths.items() if name in lefts}
        if any(len(group) != 1 for group in left):
            self.pre = left_pattern + " -> " + " ".join(lefts)
        if any(len(group) != 1 for group in right):
            self.post = " ".join(rights) + " -> " + right_pattern
        self.weight = nn.Parameter(torch.empty([axes_lengths[axis] for axis in weights]))
        self.bias = None
        if bias_shape is not None:
            biases = _flat(axes(bias_shape))
            for axis in biases:
                if axis not in rights:
                    raise EinopsError(f"Bias axes {axis} not present in output")
                if axis not in axes_lengths:
                    raise EinopsError(f"Sizes not provided for bias axes {axis}")
            shape = []
            for axis in rights:
                if axis == "...":
                    if any(n != 1 for n in shape):
                        raise EinopsError("all bias dimensions should go after ellipsis in the output")
                else:
                    shape.append(axes_lengths[axis] if axis in biases else 1)
            self.bias = nn.Parameter(torch.empty(shape))
        letters = {}
        for axis in lefts + weights:
            if axis not in letters:
                letters[axis] = "..." if axis == "..." else "abcdefghijklmnopqrstuvwxyz"[len(letters)]
        self.equation = "".join(letters[a] for a in lefts) + "," + "".join(letters[a] for a in weights) + "->" + \
            "".join(letters[a] for a in rights)

    def forward(self, input):
        if self.pre is not None:
            lengths = {name: n for name, n in self.lengths.items()}
            input = rearrange(input, self.pre, **lengths)
        result = torch.einsum(self.equation, input, self.weight)
        if self.bias is not None:
            result = result + self.bias
        if self.post is not None:
            result = rearrange(result, self.post)
        return result
