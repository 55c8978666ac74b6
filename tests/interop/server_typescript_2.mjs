// The official TypeScript SDK 2.x as a server for our client: both eras.
//
//     node server_typescript_2.mjs [stdio]        over HTTP it prints its address

import { createServer } from "node:http";
import { McpServer, acceptedContent, createMcpHandler, inputRequired } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const requestedSchema = {
  type: "object",
  properties: { name: { type: "string", default: "Ana" }, size: { type: "string", enum: ["s", "m"] } },
  required: ["size"],
};

function offer() {
  const server = new McpServer({ name: "typescript-2", version: "1.0" }, { capabilities: { logging: {} } });
  server.registerTool(
    "add",
    {
      description: "Adds.",
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
    },
    async ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }], structuredContent: { sum: a + b } }),
  );
  server.registerTool("ask", { description: "Asks the user.", inputSchema: z.object({}) }, async (_, context) => {
    const answer = acceptedContent(context.mcpReq.inputResponses, "who");
    if (answer === undefined) {
      return inputRequired({ inputRequests: { who: inputRequired.elicit({ message: "Who?", requestedSchema }) } });
    }
    return { content: [{ type: "text", text: `${answer.name} wears ${answer.size}` }] };
  });
  server.registerTool("work", { description: "Reports.", inputSchema: z.object({}) }, async (_, context) => {
    const progressToken = context.mcpReq._meta.progressToken;
    for (const progress of [1, 2, 3])
      await context.mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 3 } });
    return { content: [{ type: "text", text: "worked" }] };
  });
  server.registerResource("note", "test://note", { mimeType: "text/plain" }, async (uri) => ({
    contents: [{ uri: uri.href, text: "a note" }],
  }));
  server.registerPrompt("greet", { argsSchema: z.object({ name: z.string() }) }, ({ name }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Greet ${name}.` } }],
  }));
  return server;
}

const handler = createMcpHandler(offer);

async function serve(request, response) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const init = { method: request.method, headers: request.headers };
  if (request.method === "POST") init.body = Buffer.concat(pieces);
  const answer = await handler.fetch(new Request(`http://${request.headers.host}${request.url}`, init));
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  for await (const piece of answer.body ?? []) response.write(piece);
  response.end();
}

if (process.argv[2] === "stdio") {
  serveStdio(offer);
} else {
  const http = createServer(serve);
  http.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
}
