// The official TypeScript SDK 1.x as a client of ours: uses what there is, and prints what it saw as one line of JSON.
//
//     node client_typescript_1.mjs MODE http URL | MODE stdio COMMAND ARGUMENT ...        MODE: default

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";

const [mode, way, ...where] = process.argv.slice(2);
const saw = { mode, asked: [], progress: 0 };

const client = new Client({ name: "typescript-1", version: "1.0" }, { capabilities: { elicitation: {}, sampling: {} } });
client.setRequestHandler(ElicitRequestSchema, async (request) => {
  saw.asked.push(request.params.message);
  return { action: "accept", content: { sure: true } };
});
client.setRequestHandler(CreateMessageRequestSchema, async () => ({
  role: "assistant",
  content: { type: "text", text: "A short text." },
  model: "person",
}));
const changed = new Promise((tell) => client.setNotificationHandler(ResourceListChangedNotificationSchema, tell));
const updated = new Promise((tell) => client.setNotificationHandler(ResourceUpdatedNotificationSchema, tell));

await client.connect(
  way === "http"
    ? new StreamableHTTPClientTransport(new URL(where[0]))
    : new StdioClientTransport({ command: where[0], args: where.slice(1) }),
);
saw.server = client.getServerVersion().name;

const filename = `${mode}.txt`;
const call = async (name, args) => {
  const result = await client.callTool({ name, arguments: args }, undefined, { onprogress: () => (saw.progress += 1) });
  return result.isError ? result.content : result.structuredContent;
};
saw.tools = (await client.listTools()).tools.map((tool) => tool.name).sort();
saw.written = await call("write_file", { filename, text: "one TODO\n" });
await changed;
const uri = `playground://files/${filename}`;
await client.subscribeResource({ uri });
await call("append_line", { filename, line: "two TODO €" });
await updated;
saw.content = (await call("read_file", { filename })).content;
saw.total = (await call("search_all", { keyword: "TODO" })).total;
saw.summary = (await call("summarize_file", { filename })).summary;
saw.resource = (await client.readResource({ uri })).contents[0].text;
saw.prompts = (await client.listPrompts()).prompts.map((prompt) => prompt.name).sort();
saw.prompt = (await client.getPrompt({ name: "review_file", arguments: { filename } })).messages.length;
const reference = { type: "ref/prompt", name: "review_file" };
const completed = await client.complete({ ref: reference, argument: { name: "style", value: "b" } });
saw.completion = completed.completion.values;
saw.deleted = (await call("delete_file", { filename })).deleted;
saw.refusal = await client.callTool({ name: "dance", arguments: {} }).catch((error) => error.code);

await client.close();
console.log(JSON.stringify(saw));
