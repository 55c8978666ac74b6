// The official TypeScript SDK 2.x as a client of ours: uses what there is, and prints what it saw as one line of JSON.
//
//     node client_typescript_2.mjs MODE http URL | MODE stdio COMMAND ARGUMENT ...   MODE: default, auto or a revision

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const [mode, way, ...where] = process.argv.slice(2);
const saw = { mode, asked: [], progress: 0 };
const negotiation = { default: {}, auto: { versionNegotiation: { mode: "auto" } } };

const client = new Client(
  { name: "typescript-2", version: "1.0" },
  {
    capabilities: { elicitation: {}, sampling: {} },
    ...(negotiation[mode] ?? { versionNegotiation: { mode: { pin: mode } } }),
  },
);
client.setRequestHandler("elicitation/create", async (request) => {
  saw.asked.push(request.params.message);
  return { action: "accept", content: { sure: true } };
});
client.setRequestHandler("sampling/createMessage", async () => ({
  role: "assistant",
  content: { type: "text", text: "A short text." },
  model: "person",
}));
const changed = new Promise((tell) => client.setNotificationHandler("notifications/resources/list_changed", tell));
const updated = new Promise((tell) => client.setNotificationHandler("notifications/resources/updated", tell));

await client.connect(
  way === "http"
    ? new StreamableHTTPClientTransport(new URL(where[0]))
    : new StdioClientTransport({ command: where[0], args: where.slice(1) }),
);
saw.server = client.getServerVersion()?.name;
saw.revision = client.getNegotiatedProtocolVersion();

const filename = `${mode}.txt`;
const uri = `playground://files/${filename}`;
const isStateless = saw.revision >= "2026";
const call = async (name, args) => {
  const result = await client.callTool({ name, arguments: args }, { onprogress: () => (saw.progress += 1) });
  return result.isError ? result.content : result.structuredContent;
};
saw.tools = (await client.listTools()).tools.map((tool) => tool.name).sort();
let subscription;
if (isStateless) subscription = await client.listen({ resourcesListChanged: true, resourceSubscriptions: [uri] });
saw.written = await call("write_file", { filename, text: "one TODO\n" });
await changed;
if (!isStateless) await client.subscribeResource({ uri });
await call("append_line", { filename, line: "two TODO €" });
await updated;
await subscription?.close();
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
