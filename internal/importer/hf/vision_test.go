package hf_test

import (
	"fmt"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/importer/hf"
	"github.com/modelverifier/verifier/internal/infer"
)

// TestPublishedVisionModels imports the configs of published models, most of them the defaults of their class, and compares
// the counts that their authors give.
func TestPublishedVisionModels(t *testing.T) {
	for _, m := range []struct {
		class, modelType, more string
		params                 int64
	}{
		{"ViTForImageClassification", "vit", `,"num_labels":1000`, 86_567_656},                                                                                                     // torchvision vit_b_16
		{"DeiTForImageClassificationWithTeacher", "deit", `,"num_labels":1000`, 87_338_192},                                                                                        // deit_base_distilled_patch16_224
		{"ResNetForImageClassification", "resnet", `,"num_labels":1000`, 25_557_032},                                                                                               // torchvision resnet50
		{"ConvNextForImageClassification", "convnext", `,"num_labels":1000`, 28_589_128},                                                                                           // torchvision convnext_tiny
		{"SwinForImageClassification", "swin", `,"num_labels":1000`, 28_288_354},                                                                                                   // torchvision swin_t
		{"ResNetForImageClassification", "resnet", `,"num_labels":1000,"layer_type":"basic","hidden_sizes":[64,128,256,512],"depths":[2,2,2,2]`, 11_689_512},                       // torchvision resnet18
		{"EfficientNetForImageClassification", "efficientnet", `,"num_labels":1000,"width_coefficient":1.0,"depth_coefficient":1.0,"hidden_dim":1280,"image_size":224`, 5_288_548}, // torchvision efficientnet_b0
		{"MobileNetV2ForImageClassification", "mobilenet_v2", `,"num_labels":1000`, 3_504_872},                                                                                     // torchvision mobilenet_v2
		{"BitForImageClassification", "bit", `,"num_labels":1000`, 25_549_352},                                                                                                     // timm resnetv2_50x1_bit
		{"Dinov2Model", "dinov2", `,"image_size":518`, 86_580_480},                                                                                                                 // facebook/dinov2-base
		{"Swinv2ForImageClassification", "swinv2", `,"num_labels":1000,"image_size":256,"window_size":8`, 28_347_154},                                                              // timm swinv2_tiny_window8_256
		{"ConvNextV2ForImageClassification", "convnextv2", `,"num_labels":1000`, 28_635_496},                                                                                       // timm convnextv2_tiny
		{"PvtV2ForImageClassification", "pvt_v2", `,"num_labels":1000`, 3_666_760},                                                                                                 // timm pvt_v2_b0
		{"CLIPModel", "clip", "", 151_277_313},                                                                                                                                     // openai/clip-vit-base-patch32
		{"SiglipModel", "siglip", "", 203_155_970},                                                                                                                                 // google/siglip-base-patch16-224
	} {
		config := fmt.Sprintf(`{"model_type":%q,"architectures":[%q]%s}`, m.modelType, m.class, m.more)
		model, err := hf.Import([]byte(config), hf.Options{})
		if err != nil {
			t.Errorf("%s: %v", m.class, err)
			continue
		}
		g := model.Graph.Clone()
		g.Normalize(catalog.Vocabulary)
		res := infer.Walk(g)
		if len(res.Refusals) > 0 {
			t.Errorf("%s does not run: %s", m.class, res.Refusals[0].Message)
		}
		if model.Params != m.params || res.Params != m.params {
			t.Errorf("%s: tensors have %d weights, components %d, published are %d", m.class, model.Params, res.Params, m.params)
		}
	}
}

// TestEveryVisionClassRuns builds each class of the model types that take an image from the defaults alone: it runs, and its
// components have the weights of its tensors.
func TestEveryVisionClassRuns(t *testing.T) {
	for _, modelType := range hf.ModelTypes() {
		for _, class := range hf.Classes(modelType) {
			model, err := hf.Import(fmt.Appendf(nil, `{"model_type":%q,"architectures":[%q]}`, modelType, class), hf.Options{})
			if err != nil {
				continue // some types have sizes without a default
			}
			g := model.Graph.Clone()
			g.Normalize(catalog.Vocabulary)
			res := infer.Walk(g)
			if g.Components[0].ID != "pixel_values" {
				continue
			}
			if len(res.Refusals) > 0 {
				t.Errorf("%s does not run: %s", class, res.Refusals[0].Message)
			} else if res.Params != model.Params {
				t.Errorf("%s: its components have %d weights, its tensors %d", class, res.Params, model.Params)
			}
		}
	}
}

// TestVariantsOfVisionModels builds what no default shows: it runs, and its components have the weights of its tensors.
func TestVariantsOfVisionModels(t *testing.T) {
	for _, config := range []string{
		`{"model_type":"bit","layer_type":"bottleneck","global_padding":"same","output_stride":8}`,
		`{"model_type":"bit","global_padding":"SAME","embedding_dynamic_padding":true}`,
		`{"model_type":"clip","architectures":["CLIPForImageClassification"],"vision_config_dict":{"hidden_size":64,"num_attention_heads":4}}`,
		`{"model_type":"convnext","layer_scale_init_value":0.0,"image_size":[96,160]}`,
		`{"model_type":"cvt","cls_token":[false,false,false]}`,
		`{"model_type":"deit","image_size":[64,96],"patch_size":[8,16],"num_labels":0}`,
		`{"model_type":"dinov2_with_registers","num_register_tokens":0}`,
		`{"model_type":"donut-swin","image_size":[230,340]}`,
		`{"model_type":"focalnet","image_size":115,"use_conv_embed":true,"use_layerscale":true,"normalize_modulator":true}`,
		`{"model_type":"hiera","num_query_pool":1}`,
		`{"model_type":"levit","down_ops":[["Subsample",8,4,2,0,2],[""]],"depths":[1,1],"hidden_sizes":[64,64]}`,
		`{"model_type":"mobilenet_v2","tf_padding":false,"output_stride":8,"depth_multiplier":0.35}`,
		`{"model_type":"mobilevit","image_size":200,"output_stride":8}`,
		`{"model_type":"mobilevitv2","width_multiplier":0.5,"output_stride":16}`,
		`{"model_type":"pp_lcnet","scale":0.5,"block_configs":[[[3,16,32,1,true]],[],[],[],[[5,32,64,2,false]]]}`,
		`{"model_type":"pvt_v2","linear_attention":true,"image_size":[224,160]}`,
		`{"model_type":"regnet","layer_type":"x"}`,
		`{"model_type":"resnet","downsample_in_bottleneck":true,"downsample_in_first_stage":true}`,
		`{"model_type":"siglip","architectures":["SiglipForImageClassification"],"vision_config":{"vision_use_head":false}}`,
		`{"model_type":"swin","image_size":[112,120],"window_size":4,"use_absolute_embeddings":true}`,
		`{"model_type":"swinv2","image_size":[112,90],"window_size":5}`,
		`{"model_type":"textnet","conv_layer_kernel_sizes":[[[5,5]],[[3,1]]],"conv_layer_strides":[[2],[[2,1]]],"hidden_sizes":[64,32,16]}`,
	} {
		model, err := hf.Import([]byte(config), hf.Options{})
		if err != nil {
			t.Errorf("%s: %v", config, err)
			continue
		}
		model.Graph.Normalize(catalog.Vocabulary)
		res := infer.Walk(model.Graph)
		if len(res.Refusals) > 0 {
			t.Errorf("%s does not run: %s: %s", config, res.Nodes[res.Refusals[0].Node].Component.ID, res.Refusals[0].Message)
		} else if res.Params != model.Params {
			t.Errorf("%s: its components have %d weights, its tensors %d", config, res.Params, model.Params)
		}
	}
}

// TestSwinRefusesAnImageBelowItsWindow holds the first Swin to its bias, which is made for the whole window: a stage with fewer
// positions than that crashes, while the second version makes its bias to fit.
func TestSwinRefusesAnImageBelowItsWindow(t *testing.T) {
	for modelType, runs := range map[string]bool{"swin": false, "donut-swin": false, "swinv2": true} {
		model, err := hf.Import(fmt.Appendf(nil, `{"model_type":%q,"image_size":128}`, modelType), hf.Options{})
		if err != nil {
			t.Fatal(err)
		}
		model.Graph.Normalize(catalog.Vocabulary)
		if res := infer.Walk(model.Graph); (len(res.Refusals) == 0) != runs {
			t.Errorf("%s with four positions on a side and windows of seven: %v, but it runs is %t", modelType, res.Refusals, runs)
		}
	}
}
