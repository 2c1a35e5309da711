import { connect, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { DATA } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { get } from "../support/http.js";
import { report } from "../support/report.js";
import { serveProcess } from "../support/serve-process.js";

const DESCRIPTORS = 64;
const CLIENTS = 200;

// An unread log: test/e2e/unread-output.test.ts. Revoked credentials without a free descriptor:
// test/e2e/serve-descriptors.test.ts.
it("a server whose descriptors are used up recovers by itself", async () => {
  const { path, write } = await dataFile(DATA);
  const server = await serveProcess(
    ["--data", path, "--max-connections", "0", "--rate-limit", "0"],
    { through: ["sh", "-c", `ulimit -n ${DESCRIPTORS}; exec "$@"`, "sh"] },
  );
  const sockets = Array.from({ length: CLIENTS }, () =>
    connect({ host: "127.0.0.1", port: server.port }),
  );
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  const answered = (await Promise.all(sockets.map(askHealth))).filter(Boolean).length;
  // The data changes while no file can be opened.
  await write({
    ...DATA,
    variables: DATA.variables.map((each) => ({ ...each, description: "new" })),
  });
  for (const socket of sockets) socket.destroy();
  const startedAt = performance.now();
  const description = async () => {
    const answer = await get(server, "/v1/variables/2").catch(() => undefined);
    return (answer?.json as { description?: string } | undefined)?.description;
  };
  await expect.poll(description, { timeout: 20_000, interval: 20 }).toBe("new");
  const recovered = ((performance.now() - startedAt) / 1_000).toFixed(1);
  report(
    "No file descriptors",
    `\`ulimit -n ${DESCRIPTORS}\`, ${CLIENTS} clients that keep their connections; then they leave`,
    `${answered} answered, the others closed; new data is served ${recovered} s after they left`,
  );
  expect(answered).toBeGreaterThan(0);
  expect(answered).toBeLessThan(CLIENTS);
  await expect
    .poll(async () => (await get(server, "/healthz", {})).status, { timeout: 20_000 })
    .toBe(200);
  expect(await server.stop()).toBe(0);
});

/** Whether there is an answer before the connection is closed. It stays open. */
function askHealth(socket: Socket): Promise<boolean> {
  socket.write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
  return new Promise((resolve) => {
    socket.on("error", () => {});
    socket.once("data", () => resolve(true)).once("close", () => resolve(false));
  });
}
