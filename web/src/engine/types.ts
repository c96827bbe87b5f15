// What goes to and comes from the engine, as docs/wire.md and internal/view say it. Members that no page reads are left out.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface Component {
  id: string;
  type: string;
  name?: string;
  params?: Record<string, Json>;
  [more: string]: Json | undefined;
}

export interface Connection {
  from: string;
  to: string;
  [more: string]: Json | undefined;
}

export interface Model {
  name?: string;
  components: Component[];
  connections?: Connection[];
  [more: string]: unknown;
}

export type Severity = 'block' | 'warn' | 'info';

// ParamEdit is the change that a finding proposes.
export interface ParamEdit {
  component: string;
  param: string;
  value: Json;
}

export interface LintFinding {
  rule: string;
  severity: Severity;
  message: string;
  componentName?: string;
  componentType?: string;
  component?: string;
  edit?: ParamEdit[];
  fix?: string;
}

export interface LintAnswer {
  verdict: 'pass' | 'warn' | 'fail';
  counts: { block: number; warn: number; info: number };
  findings: LintFinding[];
}

export interface GraphRow {
  component: string;
  name: string;
  type: string;
  detail: string;
  shape: string;
  params: number | null;
  flops: number | null;
  severity?: Severity;
}

export interface GraphNode {
  id: string;
  x: number;
  y: number;
  w: number;
  h: number;
  kind: 'box' | 'group' | 'folded';
  title: string;
  times: number;
  params: number | null;
  flops: number | null;
  rows: GraphRow[];
  parent?: string;
  like?: string; // the title of the block with the same layers that is drawn in full
  opened?: boolean; // a folded block that is shown in full, as was asked
  hides?: string[]; // components that the node stands for and no row shows
}

export interface GraphEdge {
  from: string;
  to: string;
  points: [number, number][];
  shape: string;
  fromComponent?: string;
  toComponent?: string;
}

export interface TableRow {
  id: string;
  name: string;
  type: string;
  shape: string;
  params: number | null;
  flops: number | null;
  findings: number[];
  node?: string; // the node that shows it, or stands for it
}

export interface GraphAnswer {
  width: number;
  height: number;
  nodes: GraphNode[];
  edges: GraphEdge[];
  components: TableRow[];
  params: number | null;
  flops: number | null;
  lacks: string[];
}

export interface ParamType {
  name: string;
  kind: string;
  default?: Json;
  min?: number;
  max?: number;
  values?: string[];
  required: boolean;
  doc: string;
  takes?: string; // in words
  lazy?: boolean; // taken from what arrives if left out
  derived?: string; // how it is computed if left out
}

export interface ComponentType {
  id: string;
  group: string;
  title: string;
  doc: string;
  aliases?: string[];
  virtual?: boolean;
  params: ParamType[];
  inputs?: { min: number; max?: number };
}

export interface ModelEntry {
  id: string;
  name: string;
  family: string;
  params: number;
}

export type FileKind = 'config' | 'torch' | 'onnx' | 'gguf' | 'safetensors' | 'graph' | 'notation' | 'command';

export interface Question {
  ask: 'input' | 'class' | 'args';
  text: string;
  options?: string[];
}

export interface Opened {
  kind: FileKind;
  model?: Model;
  command?: string;
  notes: string[];
  question?: Question;
}

// Fault is how every call says that a request was not taken.
export interface Fault {
  error: string;
  code: string;
  path?: string;
  limit?: number;
}
