// Drives an MCP server with the TypeScript SDK's client, which shares no code with the server: node client.mjs ROOT COMMAND ARGS…
// The client holds every answer to the output schema of its tool by itself. Prints one JSON object of what it saw.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { writeFileSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [root, command, ...args] = process.argv.slice(2);
const client = new Client({ name: "independent", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env: { ...process.env } }));
const out = { server: client.getServerVersion(), calls: {}, errors: {}, listed: [] };

const tools = (await client.listTools()).tools;
out.listed = tools.map((t) => t.name).sort();

const inline = JSON.parse(readFileSync(join(root, "right.json"), "utf8"));
const calls = {
  check: { model: "right.json" }, lint: { model: inline }, plan: { model: "right.json", base: "wrong.json" },
  rank: { candidates: [{ model: "wrong.json" }, { id: "inline", model: inline }] }, fit: { model: "llm", layout: { tp: 2 } }, describe: { model: "llm", top: 2 },
  import: { model: "llm" }, export: { model: inline, to: "torch" }, catalog: { type: "linear" },
  fix: { model: "wrong.json" }, edit: { model: "wrong.json", changes: [{ component: "b", param: "inFeatures", value: 16 }] },
};
for (const [name, a] of Object.entries(calls)) {
  const r = await client.callTool({ name, arguments: a });
  out.calls[name] = { failed: r.isError === true, text: r.content[0].text.slice(0, 200), fields: Object.keys(r.structuredContent).length };
}
for (const [name, a] of Object.entries({ check: { model: "../outside.json" }, edit: { model: "right.json", changes: [{ op: "burn" }] }, describe: { model: 7 } })) {
  const r = await client.callTool({ name, arguments: a });
  out.errors[name] = { failed: r.isError === true, code: r.structuredContent?.code };
}
try {
  await client.callTool({ name: "nothing", arguments: {} });
  out.unknownTool = "answered";
} catch (e) {
  out.unknownTool = e.code;
}

const abort = new AbortController();
const pending = client.callTool({ name: "plan", arguments: { model: "llm" } }, undefined, { signal: abort.signal });
abort.abort("no longer wanted");
out.cancelled = await pending.then(() => false, () => true);
out.afterwards = (await client.callTool({ name: "check", arguments: { model: "right.json" } })).structuredContent.verdict;

out.resources = (await client.listResources()).resources.length;
out.templates = (await client.listResourceTemplates()).resourceTemplates.length;
out.picture = (await client.readResource({ uri: "verifier://picture/right.json" })).contents[0].text.slice(0, 4);
out.prompts = (await client.listPrompts()).prompts.map((p) => p.name).sort();
out.prompt = (await client.getPrompt({ name: "explain", arguments: { rule: "cycle" } })).messages.length;

const told = new Promise((resolve) => client.setNotificationHandler(ResourceUpdatedNotificationSchema, (n) => resolve(n.params.uri)));
await client.subscribeResource({ uri: "verifier://graph/right.json" });
writeFileSync(join(root, "right.json"), JSON.stringify(inline) + "\n\n");
out.updated = await told;

await client.close();
console.log(JSON.stringify(out));
