// The official TypeScript SDK 1.x as a server for our client: handshake era only.
//
//     node server_typescript_1.mjs [stdio]        over HTTP it prints its address

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

function offer() {
  const server = new McpServer({ name: "typescript-1", version: "1.0" }, { capabilities: { logging: {} } });
  server.registerTool(
    "add",
    { description: "Adds.", inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } },
    async ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }], structuredContent: { sum: a + b } }),
  );
  server.registerTool("ask", { description: "Asks the user.", inputSchema: {} }, async () => {
    const requestedSchema = {
      type: "object",
      properties: { name: { type: "string", default: "Ana" }, size: { type: "string", enum: ["s", "m"] } },
      required: ["size"],
    };
    const answer = await server.server.elicitInput({ message: "Who?", requestedSchema });
    return { content: [{ type: "text", text: `${answer.content.name} wears ${answer.content.size}` }] };
  });
  server.registerTool("think", { description: "Asks the model.", inputSchema: {} }, async () => {
    const messages = [{ role: "user", content: { type: "text", text: "Say something." } }];
    const answer = await server.server.createMessage({ messages, maxTokens: 10 });
    return { content: [{ type: "text", text: answer.content.text }] };
  });
  server.registerTool("work", { description: "Reports.", inputSchema: {} }, async (_, extra) => {
    const progressToken = extra._meta.progressToken;
    for (const progress of [1, 2, 3])
      await extra.sendNotification({ method: "notifications/progress", params: { progressToken, progress, total: 3 } });
    await extra.sendNotification({ method: "notifications/message", params: { level: "info", data: "done" } });
    return { content: [{ type: "text", text: "worked" }] };
  });
  server.registerTool("grow", { description: "Adds a tool.", inputSchema: {} }, async () => {
    server.registerTool("grown", { description: "New.", inputSchema: {} }, async () => ({ content: [] }));
    return { content: [{ type: "text", text: "grown" }] };
  });
  server.registerResource("note", "test://note", { mimeType: "text/plain" }, async (uri) => ({
    contents: [{ uri: uri.href, text: "a note" }],
  }));
  server.registerPrompt("greet", { argsSchema: { name: z.string() } }, ({ name }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Greet ${name}.` } }],
  }));
  return server;
}

const sessions = new Map();

async function serve(request, response) {
  let transport = sessions.get(request.headers["mcp-session-id"]);
  if (transport === undefined) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    await offer().connect(transport);
  }
  await transport.handleRequest(request, response);
}

if (process.argv[2] === "stdio") {
  await offer().connect(new StdioServerTransport());
} else {
  const http = createServer(serve);
  http.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
}
