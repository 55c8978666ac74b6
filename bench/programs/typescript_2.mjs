// The official TypeScript SDK 2.x serving read_file: node typescript_2.mjs FOLDER stdio | http

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, resolve } from "node:path";
import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const [folder, way] = [resolve(process.argv[2]), process.argv[3]];

function offer() {
  const server = new McpServer({ name: "typescript-2", version: "1" });
  const shapes = { inputSchema: z.object({ filename: z.string() }), outputSchema: z.object({ content: z.string() }) };
  server.registerTool("read_file", { description: "Returns the text of a file.", ...shapes }, async ({ filename }) => {
    const path = resolve(folder, filename);
    if (dirname(path) !== folder) throw new Error("not in the folder");
    const value = { content: await readFile(path, "utf8") };
    return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value };
  });
  return server;
}

const handler = createMcpHandler(offer);

async function serve(request, response) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const init = { method: request.method, headers: request.headers };
  if (request.method === "POST") init.body = Buffer.concat(pieces);
  const answer = await handler.fetch(new Request(`http://${request.headers.host}${request.url}`, init));
  const body = Buffer.from(await answer.arrayBuffer());
  response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), "content-length": body.length });
  response.end(body);
}

if (way === "stdio") {
  serveStdio(offer);
} else {
  const http = createServer(serve);
  http.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
}
