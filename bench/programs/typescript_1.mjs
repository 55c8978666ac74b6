// The official TypeScript SDK 1.x serving read_file: node typescript_1.mjs FOLDER stdio | http | json | stateless

import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, resolve } from "node:path";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

const [folder, way] = [resolve(process.argv[2]), process.argv[3]];
const shapes = { inputSchema: { filename: z.string() }, outputSchema: { content: z.string() } };

function offer() {
  const server = new McpServer({ name: "typescript-1", version: "1" });
  server.registerTool("read_file", { description: "Returns the text of a file.", ...shapes }, async ({ filename }) => {
    const path = resolve(folder, filename);
    if (dirname(path) !== folder) throw new Error("not in the folder");
    const value = { content: await readFile(path, "utf8") };
    return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value };
  });
  return server;
}

const sessions = new Map();

async function serve(request, response) {
  let transport = sessions.get(request.headers["mcp-session-id"]);
  if (transport === undefined) {
    transport = new StreamableHTTPServerTransport({
      enableJsonResponse: way !== "http",
      sessionIdGenerator: way === "stateless" ? undefined : randomUUID,
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    await offer().connect(transport);
  }
  await transport.handleRequest(request, response);
}

if (way === "stdio") {
  await offer().connect(new StdioServerTransport());
} else {
  const http = createServer(serve);
  http.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
}
