// The official TypeScript SDK 1.x as a client that lets tools run in the background, an experiment of 2025-11-25.
//
//     node client_tasks.mjs http URL | stdio COMMAND ARGUMENT ...

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const [way, ...where] = process.argv.slice(2);
const tasks = { list: {}, cancel: {}, requests: { elicitation: { create: {} }, sampling: { createMessage: {} } } };
const client = new Client(
  { name: "typescript-1", version: "1.0" },
  { capabilities: { elicitation: {}, sampling: {}, tasks } },
);
client.setRequestHandler(ElicitRequestSchema, async () => ({
  action: "accept",
  content: { interpretation: "technical" },
}));
await client.connect(
  way === "http"
    ? new StreamableHTTPClientTransport(new URL(where[0]))
    : new StdioClientTransport({ command: where[0], args: where.slice(1) }),
);
await client.listTools();
const seen = [];
const call = { name: "simulate-research-query", arguments: { topic: "python", ambiguous: true } };
for await (const step of client.experimental.tasks.callToolStream(call, CallToolResultSchema, { task: { ttl: 60000 } }))
  seen.push(step.type);
await client.experimental.tasks.listTasks();
await client.close();
console.log(JSON.stringify(seen));
