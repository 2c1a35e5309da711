import { expect, it, onTestFinished } from "vitest";
import { Gateway } from "../../src/etcd/gateway.js";
import { httpPeer } from "../client/peer.js";

it("a token that gets no answer is not used again", async () => {
  const answers = [{ token: "one" }, undefined, { token: "two" }, { header: { cluster_id: "1", revision: "2" } }];
  const tokens: unknown[] = [];
  const { port } = await httpPeer((req, res) => {
    tokens.push(req.headers.authorization);
    const answer = answers[tokens.length - 1];
    if (answer) res.end(JSON.stringify(answer));
  });
  const gateway = new Gateway({ endpoints: [`http://127.0.0.1:${port}`], user: "me", password: "example-secret" });
  onTestFinished(() => gateway.close());
  await expect(gateway.range({ key: "/s/head", within: 1 })).rejects.toThrow("no answer in time");
  expect(await gateway.range({ key: "/s/head" })).toMatchObject({ revision: 2 });
  expect(tokens).toEqual([undefined, "one", undefined, "two"]);
});
