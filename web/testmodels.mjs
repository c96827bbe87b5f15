// A decoder of any number of layers, six components each.
export function large(layers, width = 512) {
  const components = [];
  const connections = [];
  let last = '';
  const add = (id, type, params, from = last) => {
    components.push({ id, type, params });
    for (const f of [from].flat()) if (f) connections.push({ from: f, to: id });
    last = id;
  };
  add('ids', 'input', { shape: [256] });
  add('embed', 'embedding', { numEmbeddings: 32000, embeddingDim: width });
  for (let i = 0; i < layers; i++) {
    const into = last;
    const at = (name) => `layers.${i}.${name}`;
    add(at('norm1'), 'rmsNorm', { normalizedShape: width });
    add(at('attn'), 'ropeAttention', { embedDim: width, numHeads: 8 });
    add(at('add1'), 'add', {}, [into, at('attn')]);
    const middle = last;
    add(at('norm2'), 'rmsNorm', { normalizedShape: width });
    add(at('mlp'), 'swiglu', { embedDim: width, intermediateSize: 4 * width });
    add(at('add2'), 'add', {}, [middle, at('mlp')]);
  }
  add('norm', 'rmsNorm', { normalizedShape: width });
  add('head', 'linear', { inFeatures: width, outFeatures: 32000 });
  add('out', 'output', {});
  return { name: `Decoder ${layers}`, components, connections };
}
