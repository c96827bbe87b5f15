// Runs verifier.wasm under Node: node node.mjs WASM_EXEC_JS VERIFIER_WASM < requests > answers.
// A request is one line {"action": name, "body": text}; its answer is one line {"status": number, "body": text}.
import { webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

globalThis.crypto ??= webcrypto; // Go's loader asks for it, and Node 18 does not have it there

const [wasmExec, module] = process.argv.slice(2);
await import(pathToFileURL(wasmExec));
const go = new globalThis.Go();
const { instance } = await WebAssembly.instantiate(readFileSync(module), go.importObject);
go.run(instance); // returns at the first wait: the function is set by then
const { action } = globalThis.verifier;

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const { action: name, body } = JSON.parse(line);
  process.stdout.write(JSON.stringify(action(name, body)) + "\n");
}
