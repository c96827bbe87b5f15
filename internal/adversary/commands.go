package adversary

import (
	"fmt"
	"math"
	"strings"
)

// Command is a launch command of a serving engine, and what is asked beside it.
type Command struct {
	Name, Command, Version string
	GPUs                   int64 // 0 where no number is given
}

// attention is a model that a number of cards does or does not divide.
const attention = `{"components":[{"id":"x","type":"input","params":{"shape":[8,64]}},{"id":"a","type":"groupedQueryAttention","params":{"embedDim":64,"numHeads":8}}],` +
	`"connections":[{"from":"x","to":"a"}]}`

// check asks to judge a command.
func (c Command) check() Request {
	more := ""
	if c.Version != "" {
		more += `,"engine_version":` + quote(c.Version)
	}
	if c.GPUs > 0 {
		more += fmt.Sprintf(`,"gpus":%d`, c.GPUs)
	}
	return Request{Name: "launch: " + c.Name, Action: "check", Body: `{"model":` + attention + `,"serve":{"command":` + quote(c.Command) + `,"gpu":"H100"` + more + `}}`}
}

// counted writes a word many times, with a number in it.
func counted(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// Commands are launch commands that once cost too much, and some that are like them.
func Commands() []Command {
	const tgi, sglang, trt = "text-generation-launcher --model-id m ", "python -m sglang.launch_server --model-path m ", "trtllm-serve m "
	var out []Command
	add := func(name, command string) { out = append(out, Command{Name: name, Command: command}) }
	for _, gpus := range []int64{1 << 20, math.MaxInt64} {
		for _, launch := range []string{"vllm serve m", tgi, sglang, trt} {
			out = append(out, Command{Name: fmt.Sprintf("%d cards: %s", gpus, launch), Command: launch, GPUs: gpus})
		}
	}
	add("tensors over a million cards of vLLM", "vllm serve m -tp 1048575 -dcp 7")
	add("tensors over a million cards of TGI", tgi+"--num-shard 1048575")
	add("tensors over a million cards of SGLang", sglang+"--tp-size 1048575 --ep-size 1048573 --dp-size 7 --enable-dp-attention")
	add("tensors over a million cards of TensorRT-LLM", trt+"--tp_size 1048575 --cp_size 3")
	add("clusters of more cards than there are numbers", trt+"--ep_size 4 --cluster_size 4611686018427387904")
	for _, letter := range []string{"-q", "-n", "-r", "-h"} {
		for _, launch := range []string{"vllm serve m ", sglang} {
			add("one word of "+letter+": "+launch, launch+strings.Repeat(letter, 500_000))
			add("words of "+letter+": "+launch, launch+strings.Repeat(strings.Repeat(letter, 500)+" ", 1000))
			add("more words of "+letter+": "+launch, launch+strings.Repeat(strings.Repeat(letter, 25)+" ", 19_000))
		}
	}
	const docker = "docker run --gpus all "
	add("a tag of dashes", docker+"vllm/vllm-openai:"+strings.Repeat("-", 1_000_000))
	add("a tag of candidates", docker+"vllm/vllm-openai:v0.6.0rc"+strings.Repeat("1", 900_000)+strings.Repeat(" --async-scheduling", 1000))
	add("a tag of words", docker+"vllm/vllm-openai:v0.6.0-"+strings.Repeat("n", 500_000)+counted(19_000, " --x%d"))
	add("a list of words for numbers", tgi+"--cuda-graphs "+counted(130_000, "a%d,"))
	add("a list of one word for numbers", tgi+"--cuda-graphs "+strings.Repeat("a,", 500_000))
	add("a list of numbers with suffixes", tgi+"--cuda-graphs "+counted(120_000, "%dk,"))
	add("a list of numbers", tgi+"--cuda-graphs "+counted(150_000, "%d,")+"x")
	add("a list of no choices", "llama-server -m m.gguf --spec-type "+counted(130_000, "x%d,"))
	add("a list of one choice", "llama-server -m m.gguf --spec-type "+strings.Repeat("none,", 200_000))
	add("a list of numbers below zero", tgi+"--cuda-graphs "+strings.Repeat("-1,", 300_000)+"-1")
	add("a list of shares", "llama-server -m m.gguf --tensor-split "+strings.Repeat("1,", 500_000))
	add("a speculation with many keys", "vllm serve m --speculative-config '{"+counted(80_000, `"a%d":1,`)+`"model":"x"}'`)
	add("many unknown flags", "vllm serve m"+counted(19_900, " --x%d"))
	add("many words", "vllm serve m"+counted(19_900, " x%d"))
	add("many adapters", "vllm serve m --lora-modules"+counted(19_900, " x%d"))
	add("many flags of other engines", "vllm serve m"+counted(9_900, " --tp-size=%d --x"))
	add("few flags with many choices", sglang+counted(500, " --attention-backend x%d"))
	add("few flags with long values", sglang+strings.Repeat(" --attention-backend "+strings.Repeat("x", 2000), 500))
	add("one flag with a long list", "vllm serve m --cudagraph-capture-sizes"+strings.Repeat(" 1k", 500)+" --max-model-len 9999999 --dtype x --kv-cache-dtype y")
	add("many variables and few flags", counted(19_000, "A%d=1 ")+"python -m sglang.launch_server --model-path m"+counted(40, " --attention-backend x%d"))
	add("a long variable behind many flags", "vllm serve m $"+strings.Repeat("a", 500_000)+counted(15_000, " --x%d"))
	add("a long substitution behind many flags", "vllm serve m $("+strings.Repeat("a", 500_000)+")"+counted(15_000, " --x%d"))
	out = append(out, Command{Name: "a long version", Command: "vllm serve m" + counted(240, " --async-scheduling --x%d"), Version: "0.6.0rc" + strings.Repeat("1", 7_000_000)})
	add("many served names", "vllm serve m --served-model-name"+counted(19_900, " "+strings.Repeat("n", 40)+"%d"))
	add("a deep key", "vllm serve m --speculative-config."+strings.Repeat("a.", 500_000)+"a=1")
	add("many deep keys", "vllm serve m"+counted(11_000, " --speculative-config.%d"+strings.Repeat(".a", 31)+"=1"))
	add("many less deep keys", "vllm serve m"+counted(19_000, " --speculative-config.%d"+strings.Repeat(".a", 6)+"=1"))
	add("a large object", "vllm serve m --cudagraph-capture-sizes 1 --max-cudagraph-capture-size 1 --compilation-config '{\"a\":["+strings.Repeat("1,", 500_000)+"1]}'")
	add("a large object that does not end", "vllm serve m --compilation-config '{\"a\":["+strings.Repeat("1k,", 300_000)+"1'")
	add("a large object of the model", "vllm serve m --hf-overrides '{\"a\":["+strings.Repeat("1,", 500_000)+"1]}' --cudagraph-capture-sizes 1")
	add("long unknown flags", "vllm serve m"+counted(32, " --"+strings.Repeat("tensor-parallel-", 3)+"%d")+" --dtype x --kv-cache-dtype y -tp 3 --attention-backend z")
	add("misspelt flags", "vllm serve m"+counted(400, " --max-num-seq%d"))
	add("misspelt flags of SGLang", sglang+counted(60, " --tp-siz%d")+counted(64, " --attention-backend x%d"))
	add("large pairs", "vllm serve m --limit-mm-per-prompt "+strings.Repeat("a=1,", 250_000)+"a=1")
	return out
}
