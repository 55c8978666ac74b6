// What the page shows of each event of the stream: stdin has the events, a line each, stdout what became of them.
//
// The page's own modules do it: record.js makes the row, pairs.js finds its answer, legs.js its arrow, and wire.js the
// text of the inspector's tab "JSON, raw".

import { createInterface } from "node:readline";
import { Names, legOf } from "../web/legs.js";
import { Pairs } from "../web/pairs.js";
import { recordOf } from "../web/record.js";
import { wireOf } from "../web/wire.js";

const [names, pairs, rows] = [new Names(), new Pairs(), []];
for await (const line of createInterface({ input: process.stdin })) {
  const rec = recordOf(line, rows.length);
  pairs.add(rec);
  names.learn(rec);
  rows.push(rec);
}
for (const rec of rows) {
  const { event, dir, peer, kind, method, id, answer } = rec;
  const leg = legOf(rec, names);
  const arrow = [leg?.from, leg?.to];
  console.log(JSON.stringify({ event, dir, peer, kind, method, id, arrow, answer: answer?.id, text: wireOf(rec).text }));
}
