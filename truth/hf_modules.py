"""Reads from transformers' sources how its modules are written, as far as that decides what autograd keeps: python3 hf_modules.py MODELS > modules.json

MODELS is the folder transformers/models. For every model type:
softmax  "plain" where eager attention takes the softmax in the width of the model, and not in 32 bits
eager    where a model has no other attention than the eager one
norm     "wide" where an RMS norm is scaled before it is cast back, "late" where what is scaled was not cast to 32 bits first
exact    where eager attention multiplies queries and keys in 32 bits
joined   where queries and keys are joined of the features that turn with the position and those that do not
and for every class with a language-model head whether its loss is taken of the logits as they are ("plain"), and not of 32-bit copies,
and whether a buffer is added to its logits ("biased").
router   where the router of experts multiplies 32-bit copies
gate     "clamped" where the experts bound both halves of their first map before the gate, "steps" where they also write the gate as single operations
"""
import ast, json, os, re, sys

root = sys.argv[1]
softmax, eager, norm, loss, biased, joined, exact, router, gate = [], [], {}, [], [], [], [], [], {}
LM = re.compile(r"(ForCausalLM|ForConditionalGeneration|ForMaskedLM|LMHeadModel|ForPreTraining|DoubleHeadsModel|WithLMHeadModel|MTModel|ForTextToText|ForSpeechToText)$")
for folder in sorted(os.listdir(root)):
    if not os.path.isdir(os.path.join(root, folder)):
        continue
    for name in sorted(os.listdir(os.path.join(root, folder))):
        if not re.match(r"modeling_.*\.py$", name):
            continue
        source = open(os.path.join(root, folder, name)).read()
        config = os.path.join(root, folder, name.replace("modeling_", "configuration_"))
        types = re.findall(r'^    model_type(?:: str)? = "([^"]+)"', open(config).read(), re.M) if os.path.exists(config) else []
        if re.search(r"linear\(\s*hidden_states\.(?:float\(\)|type\(torch\.float32\)|to\(torch\.float32\)),\s*self[\w.]*weight", source):
            router += types
        own = re.search(r"def _apply_gate\(.*?\n\n", source, re.S)
        if own and ".clamp(" in own.group():
            for t in types:
                gate[t] = "steps" if "sigmoid(" in own.group() else "clamped"
        if types and re.search(r"[sS]oftmax\(", source):
            if "_supports_sdpa = True" not in source:
                eager += types
            seldom = re.sub(r"if [\w.]+\.dtype == torch\.float16:\n.*[sS]oftmax\(.*\n", "", source)  # without what autocast and bf16 never have
            taken = re.findall(r"^ *(?:attention_probs|attn_weights|attn_prob|attention|w) = .*[sS]oftmax\(.*$", seldom, re.M)  # inside the module
            if "def eager_attention_forward" not in source and taken and not any("float" in t for t in taken) and not re.search(r"query\w* = query\w*\.to\(torch\.float32\)|query\.float\(\)", source):
                softmax += types
        if re.search(r"torch\.cat\([\[(].*\bq(?:uery)?_pass\b.*dim=-1", source):
            joined += types
        if re.search(r"query\w* = query\w*\.to\(torch\.float32\)", source):
            exact += types
        body = ast.parse(source).body
        for node in body:
            text = ast.get_source_segment(source, node) or ""
            if isinstance(node, ast.FunctionDef) and node.name == "eager_attention_forward":
                if "softmax" in text and "float32" not in text and ".float()" not in text:
                    softmax += types
            if isinstance(node, ast.ClassDef) and re.search(r"RMSNorm$|LayerNorm$", node.name) and "rsqrt" in text and "gate" not in text:
                if "self.weight.float()" in text or "(self.weight.to(torch.float32) * hidden_states).to(" in text or re.search(r"\(self\.weight \* [\w.()]+\)\.to\(|self\.weight \* [\w.]+\)\.type_as", text):
                    kind = "wide"
                elif re.search(r"variance = hidden_states\.to\(torch\.float32\)", text):
                    kind = "late"
                else:
                    continue
                for t in types:
                    norm[t] = kind
            if isinstance(node, ast.ClassDef) and LM.search(node.name):
                forward = next((ast.get_source_segment(source, f) for f in node.body if isinstance(f, ast.FunctionDef) and f.name == "forward"), "")
                if "self.pred_layer(" in forward:  # the head of XLM takes its loss itself
                    forward += "".join(ast.get_source_segment(source, c) for c in body if isinstance(c, ast.ClassDef) and c.name.endswith("PredLayer"))
                if re.search(r"CrossEntropyLoss|loss_fct|self\.loss_fn\(|\.cross_entropy\(", forward) and "self.loss_function" not in forward and "logits.float()" not in forward:
                    loss.append(node.name)
                if "+ self.final_logits_bias" in forward:
                    biased.append(node.name)
print(json.dumps(dict(softmax=sorted(set(softmax)), eager=sorted(set(eager)), norm=dict(sorted(norm.items())), loss=sorted(set(loss)), biased=sorted(set(biased)), joined=sorted(set(joined)), exact=sorted(set(exact)), router=sorted(set(router)), gate=dict(sorted(gate.items()))), indent=0))
