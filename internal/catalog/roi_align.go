package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "roiAlign",
	Title: "Cuts regions of one size out of an image",
	Doc: `The second input has boxes (regions, 4) as x1, y1, x2, y2; each is cut out of the image (channels, height, width) and pooled to outputSize by bilinear sampling, as torchvision.ops.roi_align does. ` +
		`The result is (regions, channels, height, width), the regions of each sample kept apart.`,
	Source: "torchvision.ops.roi_align; He et al. 2017 (Mask R-CNN)",
	Group:  Resampling,
	Inputs: Arity{2, 2},
	Params: []Param{
		{Name: "outputSize", Kind: Ints, Min: 1, Doc: "height and width of each region in the result: a number for both, or a list"},
		{Name: "spatialScale", Kind: Float, Default: 1.0, Doc: "what the boxes are multiplied by to be in pixels of the input"},
		{Name: "samplingRatio", Kind: Int, Bools: true, Default: -1, Negative: true, Doc: "samples per bin and axis; as many as the bin has pixels if it is not positive"},
		{Name: "aligned", Kind: Bool, Default: false, Doc: "whether boxes are shifted by half a pixel"},
	},
	Shape: func(c *Call) (Shape, error) {
		if err := c.Ranks(3, 3, "(channels, height, width)"); err != nil {
			return nil, err
		}
		boxes, size := c.In[1], c.Ints("outputSize")
		if boxes.Rank() != 2 || boxes[1] != 4 {
			return nil, c.Errorf(FeatureMismatch, "boxes must be (regions, 4), got %v", boxes)
		}
		switch {
		case !c.IsList("outputSize"):
			size = []int64{size[0], size[0]}
		case len(size) < 2: // torchvision reads the first two and does not look for more
			return nil, c.Errorf(BadParam, "outputSize is %v but a list must name height and width", Shape(size))
		}
		return Of(boxes[0], c.In[0][0], size[0], size[1]), nil
	},
	Lower: func(l *Lowering) op.Value {
		boxes := op.Resample(l.P, l.X[1], l.In[1][0], 5) // with the number of the sample in front
		return op.RoIAlign(l.P, l.X[0], boxes, l.Out...)
	},
	Torch: `lambda x, boxes: torchvision.ops.roi_align(x, list(boxes.unbind(0)), {{outputSize}}, spatial_scale={{spatialScale}}, ` +
		`sampling_ratio={{samplingRatio}}, aligned={{aligned}}).unflatten(0, boxes.shape[:2])`,
	Module: "import torchvision.ops\n",
	Examples: []Example{
		{In: "[256,50,50] [100,4]", Args: "outputSize=7 spatialScale=0.25", Out: "[100,256,7,7]"},
		{In: "[256,50,50] [100,4]", Args: "outputSize=[7,5]", Out: "[100,256,7,5]"},
		{In: "[256,50,50] [100,5]", Args: "outputSize=7", Err: "boxes must be (regions, 4), got [100,5]"},
		{In: "[256,50,50] [100,4]", Args: "outputSize=[7]", Err: "must name height and width"},
	},
})
