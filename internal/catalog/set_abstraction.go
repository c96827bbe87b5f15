package catalog

import (
	"strconv"

	"github.com/modelverifier/verifier/internal/op"
)

var _ = define(Type{
	ID:    "setAbstraction",
	Title: "Summarises the surroundings of chosen points",
	Doc: `Chooses numPoints of the points that lie far from each other, takes numSamples points within radius around each, runs them through convolutions of size 1 with batch norm and ReLU and takes the largest value of each feature. ` +
		`It takes (points, inChannels), where the first three features are the place of a point; the result is (numPoints, 3 + the last of mlp), with the places in front. numSamples must not be more than the points.`,
	Source:  "Qi et al. 2017, PointNet++; yanx27/Pointnet_Pointnet2_pytorch models/pointnet2_utils.py PointNetSetAbstraction",
	Group:   Blocks,
	Aliases: []string{"pointNetSetAbstraction"},
	Traits:  HasNorm | HasActivation,
	Params: []Param{
		{Name: "numPoints", Kind: Int, Min: 1, Writes: At(0), Aliases: []string{"npoint"}, Doc: "points that are chosen"},
		{Name: "radius", Kind: Float, Doc: "how far points around a chosen one may lie"},
		{Name: "numSamples", Kind: Int, Min: 1, Aliases: []string{"nsample"}, Doc: "points that are taken around each"},
		{Name: "inChannels", Kind: Int, Min: 3, Reads: At(-1), Aliases: []string{"inChannel"}, Doc: "features of a point, its place among them"},
		{Name: "mlp", Kind: Ints, Min: 1, ListOnly: true, Doc: "features behind each convolution"},
	},
	Shape: func(c *Call) (Shape, error) {
		if err := c.sequence(FeatureMismatch, "inChannels"); err != nil {
			return nil, err
		}
		sizes := c.Ints("mlp")
		out := Of(c.Int("numPoints"), c.Add(3, sizes[len(sizes)-1]))
		if k := c.Int("numSamples"); k > c.In[0][0] {
			return out, c.Errorf(IndexOutOfRange, "numSamples is %d but %s", k, arrive(c.In[0][0], "point"))
		}
		return out, nil
	},
	Weights: func(c *Call) {
		in := c.Int("inChannels")
		if c.long("mlp") {
			c.LacksWeights()
			return
		}
		for i, out := range c.Ints("mlp") {
			n := strconv.Itoa(i)
			c.weight(1, "convs."+n, "weight", out, in, 1, 1)
			c.weight(1, "convs."+n, "bias", out)
			c.normWeights("bns."+n, out, true)
			in = out
		}
	},
	FLOPs: func(c *Call) int64 {
		in, sum, rows := c.Int("inChannels"), int64(0), c.Mul(c.Int("numPoints"), c.Int("numSamples"))
		for _, out := range c.Ints("mlp") {
			sum, in = c.Add(sum, c.MatMul(1, rows, in, out)), out
		}
		return sum
	},
	Lower: func(l *Lowering) op.Value {
		if l.long("mlp") {
			return op.None
		}
		p, s, k, c, sizes := l.P, l.Int("numPoints"), l.Int("numSamples"), l.Int("inChannels"), l.Ints("mlp")
		at := func(n, features int64) op.Value { // places that no gradient leads to
			return op.View(p, op.Constant(p, op.Int64, false, n, 1), n, features)
		}
		centres := op.Gather(p, op.View(p, l.X[0], l.In[0][0], 3), at(s, 3))
		around := op.Split(p, op.Gather(p, l.X[0], at(s*k, c)), Of(s, k, 3), Of(s, k, c-3))
		around[0] = op.Sub(p, around[0], op.View(p, centres, s, 1, 3))
		y := op.View(p, op.Concatenate(p, Of(s, k, c), around...), c, k, s)
		for i := range sizes {
			n := strconv.Itoa(i)
			y = op.Convolution(p, y, l.W("convs."+n+".weight"), l.W("convs."+n+".bias"), op.Geometry{Groups: 1}, k, s)
			y = op.OfOutput(p, l.batchNorm(y, "bns."+n))
		}
		last := sizes[len(sizes)-1]
		most, _ := op.TopK(p, y, last, 1, s)
		return op.Concatenate(p, l.Out, centres, op.View(p, most, s, last))
	},
	Torch:         `SetAbstraction({{numPoints}}, {{radius}}, {{numSamples}}, {{inChannels}}, {{mlp}})`,
	Module:        setAbstractionModule,
	WeightFormula: "inChannels*mlp[0] + pairs(mlp) + 3*sum(mlp)",
	FLOPsFormula:  "2*numPoints*numSamples*(inChannels*mlp[0] + pairs(mlp))",
	Examples: []Example{
		{In: "[20,6]", Args: "numPoints=5 radius=0.5 numSamples=4 inChannels=6 mlp=[8,16]", Out: "[5,19]", Weights: 248, FLOPs: 7040},
		{In: "[7,3]", Args: "numPoints=2 radius=1 numSamples=7 inChannels=3 mlp=[4,2]", Out: "[2,5]", Weights: 38, FLOPs: 560},
		{In: "[3,6]", Args: "numPoints=5 radius=0.5 numSamples=4 inChannels=6 mlp=[8]", Err: "numSamples is 4 but 3 points arrive"},
		{In: "[20,6]", Args: "numPoints=5 radius=0.5 numSamples=4 inChannels=5 mlp=[8]", Err: "inChannels is 5 but 6 features arrive"},
	},
})

const setAbstractionModule = `class SetAbstraction(nn.Module):
    def __init__(self, points, radius, samples, channels, mlp):
        super().__init__()
        self.points, self.radius, self.samples, sizes = points, radius**2, samples, (channels, *mlp)
        self.convs = nn.ModuleList(nn.Conv2d(i, o, 1) for i, o in zip(sizes, mlp))
        self.bns = nn.ModuleList(nn.BatchNorm2d(o) for o in mlp)

    @torch.no_grad()
    def sample(self, xyz):
        b, n, _ = xyz.shape
        far, chosen = torch.full((b, n), 1e10, device=xyz.device), []
        at = torch.zeros(b, dtype=torch.long, device=xyz.device)
        for _ in range(self.points):
            chosen.append(at)
            centre = xyz[torch.arange(b, device=xyz.device), at][:, None]
            far = torch.minimum(far, ((xyz - centre) ** 2).sum(-1))
            at = far.argmax(-1)
        return torch.stack(chosen, 1)

    @torch.no_grad()
    def near(self, xyz, centres):
        n = xyz.shape[1]
        if self.samples > n:
            raise ValueError(f"{self.samples} samples of {n} points")
        index = torch.arange(n, device=xyz.device).expand(xyz.shape[0], self.points, n).clone()
        index[((centres[:, :, None] - xyz[:, None]) ** 2).sum(-1) > self.radius] = n
        index = index.sort(-1)[0][:, :, : self.samples]
        return torch.where(index == n, index[:, :, :1], index)

    def forward(self, x):
        xyz = x[..., :3]
        centres = xyz.gather(1, self.sample(xyz)[..., None].expand(-1, -1, 3))
        index = self.near(xyz, centres).flatten(1)
        y = x.gather(1, index[..., None].expand(-1, -1, x.shape[2])).unflatten(1, (self.points, self.samples))
        y = torch.cat([y[..., :3] - centres[:, :, None], y[..., 3:]], -1).permute(0, 3, 2, 1)
        for conv, bn in zip(self.convs, self.bns):
            y = F.relu(bn(conv(y)))
        return torch.cat([centres, y.max(2)[0].transpose(1, 2)], -1)
`
