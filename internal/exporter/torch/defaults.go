package torch

import (
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/quantity"
)

// conv and the others are arguments that several callables have in common.
const (
	conv     = `stride=1 padding=0 dilation=1 groups=1 bias=True padding_mode="zeros"`
	convBack = conv + ` output_padding=0`
	maxPool  = `stride=None padding=0 dilation=1 ceil_mode=False`
	avgPool  = `stride=None padding=0 ceil_mode=False count_include_pad=True`
	norm     = `eps=1e-05 momentum=0.1 affine=True`
	encoder  = `activation="relu" dropout=0.1 layer_norm_eps=1e-05 norm_first=False bias=True`
	turnedOn = `dropout=None softcap=None`
	attends  = `dropout=0.0 bias=True kdim=None vdim=None`
	recurs   = `num_layers=1 bias=True dropout=0.0 bidirectional=False sequences=True`
	table    = `padding_idx=None max_norm=None norm_type=2.0 scale_grad_by_freq=False sparse=False`
)

// defaults are the values that PyTorch, and the classes that we emit, give an argument that is left out: written down they
// would only be in the reader's way. A test asks PyTorch for each of them.
var defaults = map[string]string{
	"nn.Conv1d": conv, "nn.Conv2d": conv, "nn.Conv3d": conv,
	"nn.ConvTranspose1d": convBack, "nn.ConvTranspose2d": convBack, "nn.ConvTranspose3d": convBack,
	"nn.MaxPool1d": maxPool, "nn.MaxPool2d": maxPool, "nn.MaxPool3d": maxPool,
	"nn.AvgPool1d": avgPool, "nn.AvgPool2d": avgPool + " divisor_override=None", "nn.AvgPool3d": avgPool + " divisor_override=None",
	"nn.LPPool1d": "stride=None ceil_mode=False", "nn.LPPool2d": "stride=None ceil_mode=False", "nn.LPPool3d": "stride=None ceil_mode=False",
	"nn.Fold": "dilation=1 padding=0 stride=1", "nn.Unfold": "dilation=1 padding=0 stride=1",
	"nn.Linear": "bias=True", "nn.Bilinear": "bias=True", "nn.PReLU": "init=0.25",
	"nn.LayerNorm": "eps=1e-05 elementwise_affine=True bias=True", "nn.GroupNorm": "eps=1e-05 affine=True",
	"nn.RMSNorm": "eps=None elementwise_affine=True", "nn.LocalResponseNorm": "alpha=0.0001 beta=0.75 k=1.0",
	"BatchNorm": norm + " track_running_stats=True", "InstanceNorm": `eps=1e-05 momentum=0.1 affine=False track_running_stats=False`,
	"nn.Embedding": table, "nn.EmbeddingBag": table + ` mode="mean"`,
	"nn.TransformerEncoderLayer": encoder, "DecoderBlock": encoder,
	"GroupedQueryAttention": turnedOn + " clip=None", "RopeAttention": turnedOn + " clip=None", "AttentionCore": turnedOn,
	"WindowAttention": "dropout=None", "Gated": "dropout=None",
	"SelfAttention": attends, "CrossAttention": attends, "MaskedAttention": attends,
	"SequenceRNN": recurs + ` nonlinearity="tanh"`, "SequenceGRU": recurs, "SequenceLSTM": recurs + " proj_size=0",
	"nn.ReLU": "inplace=False", "nn.ReLU6": "inplace=False", "nn.ELU": "inplace=False", "nn.CELU": "inplace=False", "nn.SELU": "inplace=False",
	"nn.SiLU": "inplace=False", "nn.Mish": "inplace=False", "nn.Hardswish": "inplace=False", "nn.Hardsigmoid": "inplace=False",
	"nn.Hardtanh": "inplace=False", "nn.LeakyReLU": "inplace=False", "nn.RReLU": "inplace=False", "nn.Threshold": "inplace=False",
	"nn.Softplus": "beta=1 threshold=20", "nn.GELU": `approximate="none"`,
	"nn.Dropout": "inplace=False", "nn.Dropout1d": "inplace=False", "nn.Dropout2d": "inplace=False", "nn.Dropout3d": "inplace=False",
	"nn.AlphaDropout": "inplace=False", "nn.FeatureAlphaDropout": "inplace=False",
	"F.interpolate": `size=None scale_factor=None mode="nearest" align_corners=None antialias=False`,
	"F.pad":         `mode="constant" value=0`,
	"F.grid_sample": `mode="bilinear" padding_mode="zeros" align_corners=False`,
}

// dropDefaults leaves out every argument that says what would hold anyway.
func dropDefaults(e expr) {
	for k, p := range e {
		if p.list == nil {
			continue
		}
		for _, item := range p.list.items {
			dropDefaults(item)
		}
		if k == 0 || p.list.open != '(' {
			continue
		}
		known := defaultsOf(e[k-1].text)
		kept := p.list.items[:0]
		for _, item := range p.list.items {
			if !isDefault(known, item.String()) {
				kept = append(kept, multiplied(item))
			}
		}
		p.list.items = kept
	}
}

// multiplied writes the product of two numbers as one number.
func multiplied(item expr) expr {
	a, b, found := strings.Cut(item.String(), " * ")
	x, errX := strconv.ParseInt(a, 10, 64)
	y, errY := strconv.ParseInt(b, 10, 64)
	n, fits := quantity.Mul(x, y)
	if !found || errX != nil || errY != nil || !fits {
		return item
	}
	return expr{{text: strconv.FormatInt(n, 10)}}
}

// defaultsOf returns the defaults of the callable that a text ends with.
func defaultsOf(text string) []string {
	i := len(text)
	for i > 0 && (isWord(text[i-1]) || text[i-1] == '.') {
		i--
	}
	name := text[i:]
	if method, ok := methods[name[strings.LastIndexByte(name, '.')+1:]]; ok && defaults[name] == "" {
		return []string{method}
	}
	return strings.Fields(defaults[name])
}

// methods are the methods of a tensor that take keepdim.
var methods = map[string]string{
	"mean": "keepdim=False", "sum": "keepdim=False", "amax": "keepdim=False", "amin": "keepdim=False", "std": "keepdim=False",
	"var": "keepdim=False", "argmax": "keepdim=False", "logsumexp": "keepdim=False", "vector_norm": "keepdim=False",
}

func isDefault(known []string, item string) bool {
	name, value, named := strings.Cut(item, "=")
	if !named {
		return false
	}
	for _, d := range known {
		if n, v, _ := strings.Cut(d, "="); n == name {
			return v == value || sameNumber(v, value)
		}
	}
	return false
}

func sameNumber(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && x == y
}

func isWord(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
