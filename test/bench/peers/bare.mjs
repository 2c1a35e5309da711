// The least that a server does: `node:http` sends recorded answers, and checks nothing. node
// bare.mjs RECORDING
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const answers = new Map(Object.entries(JSON.parse(readFileSync(process.argv[2], "utf8"))));

const server = createServer((req, res) => {
  const { status, headers, body } = answers.get(req.url) ?? { status: 404, headers: [], body: "" };
  res.writeHead(status, headers).end(body);
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
