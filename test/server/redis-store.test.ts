import { createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { listen } from "../../src/server/listener.js";
import { redisLimiter } from "../support/redis-limiter.js";

it("while nothing listens there, it counts here and says so", async () => {
  const { problems, remaining } = await redisLimiter("redis://127.0.0.1:1", 5);
  expect([await remaining(), await remaining()]).toEqual([4, 3]);
  expect(problems).toEqual([{ what: "can't be reached", detail: "ECONNREFUSED" }]);
});

const NONSENSE = "does not answer as Redis does";
const FAILS = "does not count requests";
const UNREACHABLE = "can't be reached";

it.each<[name: string, answer: string, what: string, detail?: string]>([
  ["OK", "+OK\r\n", NONSENSE],
  ["null", "$-1\r\n", NONSENSE],
  ["an array of nulls", "*2\r\n$-1\r\n$-1\r\n", NONSENSE],
  ["an empty array", "*0\r\n", NONSENSE],
  ["texts", "*2\r\n$1\r\n1\r\n$5\r\n60000\r\n", NONSENSE],
  ["a negative count", "*2\r\n:-1\r\n:60000\r\n", NONSENSE],
  ["a count of 2^63 - 1", "*2\r\n:9223372036854775807\r\n:60000\r\n", NONSENSE],
  ["a window that never ends", "*2\r\n:1\r\n:-1\r\n", NONSENSE],
  ["a fraction and infinity", "*2\r\n,1.5\r\n,inf\r\n", NONSENSE],
  ["a map", "%1\r\n+count\r\n:1\r\n", NONSENSE],
  ["an array in an array, and so on", "*1\r\n".repeat(100_000), NONSENSE],
  ["HTTP", "HTTP/1.1 400 Bad Request\r\n\r\n", NONSENSE],
  ["bytes", "\0\xff\xfe\r\n\r\n", NONSENSE],
  [
    "a text that does not end",
    `$999999999\r\n${"x".repeat(100_000)}`,
    UNREACHABLE,
    "no answer within 200 ms",
  ],
  ["nothing", "", UNREACHABLE, "no answer within 200 ms"],
  ["a full disk", "-MISCONF Redis is configured to save RDB snapshots\r\n", FAILS, "MISCONF"],
  ["a loading message", "-LOADING Redis is loading the dataset in memory\r\n", FAILS, "LOADING"],
  [
    "an error that quotes the password",
    "-ERR unknown command `AUTH`, with args beginning with: `hunter2`,\r\n",
    FAILS,
  ],
  ["a password as an error", "-hunter2 hunter2\r\n", FAILS],
  ["the error of an old version", "-ERR invalid password\r\n", "refuses the user or password"],
])(
  "a server that answers with %s is a problem, and its text is not repeated",
  async (_name, answer, what, detail) => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", (data) => {
        // The words after `*2\r\n$5\r\n`.
        const commands = [...data.toString("latin1").matchAll(/(?<=\*\d+\r\n\$\d+\r\n)\w+/g)];
        for (const [command] of commands)
          socket.write(/^evals?/i.test(command) ? answer : "+OK\r\n", "latin1");
      });
    });
    onTestFinished(() => void server.close());
    const { problems, remaining } = await redisLimiter(
      `redis://:hunter2@127.0.0.1:${(await listen(server, { host: "127.0.0.1", port: 0 })).port}`,
      5,
    );
    expect(problems).toEqual([{ what, detail }]);
    expect(await remaining()).toBe(4);
  },
);
