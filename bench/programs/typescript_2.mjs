// The official TypeScript SDK 2.x serving read_file: node typescript_2.mjs FOLDER stdio | http | json
// http is its entry for 2026-07-28, which makes a server for each request; json keeps one for each session of 2025-11-25.

import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, resolve } from "node:path";
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const [folder, way] = [resolve(process.argv[2]), process.argv[3]];
const shapes = { inputSchema: z.object({ filename: z.string() }), outputSchema: z.object({ content: z.string() }) };

function offer() {
  const server = new McpServer({ name: "typescript-2", version: "1" });
  server.registerTool("read_file", { description: "Returns the text of a file.", ...shapes }, async ({ filename }) => {
    const path = resolve(folder, filename);
    if (dirname(path) !== folder) throw new Error("not in the folder");
    const value = { content: await readFile(path, "utf8") };
    return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value };
  });
  return server;
}

const sessions = new Map();

async function serveSessions(request, response) {
  let transport = sessions.get(request.headers["mcp-session-id"]);
  if (transport === undefined) {
    transport = new NodeStreamableHTTPServerTransport({
      enableJsonResponse: true,
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    await offer().connect(transport);
  }
  await transport.handleRequest(request, response);
}

if (way === "stdio") {
  serveStdio(offer);
} else {
  const serve = way === "json" ? serveSessions : toNodeHandler(createMcpHandler(offer, { responseMode: "json" }));
  const http = createServer(serve);
  http.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
}
