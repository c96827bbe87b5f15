// What the Plan, Compare and Serve pages ask the engine for, and what it answers. Members that no page reads are left out.
import type { Severity } from './types';

export interface Card {
  id: string;
  name: string;
  bytes: number;
  usdPerHour: number;
  source: string;
  date: string;
  bf16: boolean;
  rented: boolean;
}

export interface Training {
  batch?: number;
  precision?: string;
  optimizer?: string;
  epochs?: number;
  samples?: number;
  checkpointing?: boolean;
  microBatch?: number;
  fusedLoss?: boolean;
  packing?: boolean;
  gpu?: string;
  lora?: { rank: number; targets?: string[] };
}

// PlanRequest is what plan, view/memory and view/fit are asked with.
export interface PlanRequest {
  model: unknown;
  training?: Training;
  seq_len?: number;
  attention?: string;
}

export interface PlanFinding {
  severity: Severity;
  title: string;
  detail: string;
  fix?: string;
}

export interface PlanMemory {
  weightBytes: number;
  gradientBytes: number;
  optimizerBytes: number;
  activationBytes: number;
  logitBytes: number;
  peakBytes: number;
  needBytes: number;
  upperBytes: number;
  cardBytes: number;
  binding: string;
  errorPercent: number | null;
}

export interface PlanRecord {
  summary: string;
  model: { name: string; layers: number; params: number; fingerprint: string; paramsWithheld: string[] };
  run: { legal: boolean; blockers: PlanFinding[]; warnings: PlanFinding[]; withheld: string[] };
  cost: {
    estCostUsd: number | null;
    estTrainSec: number | null;
    fitsGpu: string;
    gpu: string;
    assumptions: string;
    range: { lowUsd: number; highUsd: number; lowSec: number; highSec: number } | null;
    withheld: string[];
    asked?: { gpu: string; fits: boolean; needBytes: number; memoryBytes: number };
  };
  memory: PlanMemory | null;
  flops: number | null;
  training: Required<Pick<Training, 'batch' | 'precision' | 'optimizer' | 'epochs' | 'samples' | 'checkpointing'>> & Training & { attention: string; samplesAssumed: boolean; trainedParams?: number };
  seqLen?: { own: number; used: number; notRun?: number; notPriced?: number };
}

export interface PlanAnswer {
  plan: PlanRecord;
  text: string;
  markdown: string;
  share?: { id: string; url: string; removal?: string };
}

export type Phase = 'forward' | 'loss' | 'backward' | 'optimizer';

export interface MemoryPoint {
  at: number;
  bytes: number;
  phase: Phase;
  component?: string;
  gradientBytes: number;
  activationBytes: number;
  logitBytes: number;
  stepBytes: number;
  passingBytes: number;
}

export interface Live {
  what: string;
  component?: string;
  bytes: number;
  count?: number;
}

export interface MemoryCurve {
  weightBytes: number;
  stateBytes: number;
  inputBytes: number;
  points: MemoryPoint[];
  peak: { at: number; bytes: number; live: Live[]; saved: Live[]; rest: Live } | null;
  moments: number;
  microBatch: number;
  lacks: string;
  assumptions: string;
  errorPercent: number | null;
}

export interface Fix {
  change: string;
  peakBytes: number;
  cardBytes: number;
  stepMicros: number;
  costUsd: number;
  gpu: string;
  fits: boolean;
  training: PlanRecord['training'];
}

export interface FitAnswer {
  fits: boolean;
  cardBytes: number;
  gpu: string;
  fixes: Fix[];
  lacks: string;
}

export interface UseAnswer {
  batch: number[];
  context: number[];
  precision: string;
  cells: { batch: number; context: number; cardBytes: number; kvBytes: number; activationBytes: number; gpu: string; notRun: boolean }[];
  weightBytes: number;
  kvBytesPerToken: number;
  lacks: string;
  assumptions: string;
  errorPercent: number | null;
}

export interface Part {
  id: string;
  name: string;
  type: string;
}

export interface Changed {
  before: Part;
  after: Part;
  lines: string[];
}

export interface DiffAnswer {
  diff: { paramsDelta: number | null; memoryDeltaGb: number | null; costDeltaUsd: number | null; blastRadius: number; legalityChanged: string | null };
  added: Part[];
  removed: Part[];
  changed: Changed[];
  rewired: Changed[];
}

export interface RankAnswer {
  ranked: {
    id: string;
    rank: number;
    tier: 'legal' | 'blocked';
    tiedWith: number;
    blocking: number;
    warnings: number;
    params: number;
    estCostUsd: number | null;
    estTrainSec: number | null;
    trainFootprintBytes: number | null;
    flops: number | null;
    fitsGpu: string;
    gpu: string;
    range: PlanRecord['cost']['range'];
    reasons: string[];
    paramsWithheld: string[];
    costWithheld: string[];
  }[];
  recommended: string | null;
  recommendation: string;
  calibration: { note?: string };
  tieBreak?: { rule: string; decided: number; note: string };
}

export interface ServeFinding {
  rule: string;
  severity: 'block' | 'warn';
  title: string;
  detail: string;
  fix?: string;
  places: [number, number][];
  mends: { words: string; command: string }[]; // each with the whole command after it
}

export interface ServeMemory {
  weightsGb: number;
  kvGb: number;
  activationsGb: number;
  overheadGb: number;
  capacityGb: number;
}

export interface ServeAnswer {
  verdict: 'pass' | 'warn' | 'block';
  engine: string;
  engineVersion: string;
  engineVersionAssumed: boolean;
  findings: ServeFinding[];
  memory: ServeMemory | null;
  kvBytesPerToken: number | null;
  maxConcurrentSequences: number | null;
  command: string;
  capacity: { context: number; concurrent: number | null; blocks: boolean }[];
  splits: { size: number; legal: boolean; blocks: string[]; why?: string; memory: ServeMemory | null; concurrent: number | null }[];
  open: string[];
  gpu: string;
}

export interface GridFinding {
  rule: string;
  severity: Severity;
  title: string;
  detail: string;
  fix?: string;
}

export interface GridCell {
  tp: number;
  pp: number;
  dp: number;
  verdict: 'pass' | 'warn' | 'block';
  legal: boolean;
  fits: boolean | null;
  peakGb: number | null;
  bubble: number | null;
  findings: GridFinding[];
  stages: { index: number; layers: number; params: number; weightsGb: number; gradsGb: number; optimizerGb: number; activationsGb: number; peakGb: number; fits: boolean | null }[];
}

export interface GridAnswer {
  gpus: number;
  framework: string;
  gpu: string;
  bytes: number;
  seqLen: number;
  tp: number[];
  pp: number[];
  cells: GridCell[];
  best: { layouts: { tp: number; pp: number; dp: number; cp: number; ep: number; vpp: number; zero: number; microBatch: number; recompute: string; stepSec: number; bubble: number; peakGb: number }[]; basis: string; considered: number } | null;
  withheld: string[];
}
