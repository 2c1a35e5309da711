import { describe, expect, it } from "vitest";
import { sharedEtcd, startEtcd, USER } from "../../support/etcd.js";
import { needs } from "../../support/needed-program.js";

const KEY = Buffer.from("/tests/key").toString("base64");

describe("one etcd", needs("etcd"), () => {
  const etcd = sharedEtcd();

  it("has its data again after it was killed", async () => {
    const [member] = etcd().members;
    await etcd().call("kv/put", { key: KEY, value: "AAAA" });
    await member?.process.kill();
    await member?.process.start();
    expect(await etcd().call("kv/range", { key: KEY })).toMatchObject({ kvs: [{ value: "AAAA" }] });
  });

  it("discards its history", async () => {
    await etcd().call("kv/put", { key: KEY, value: "AAAA" });
    await etcd().compact();
    await expect(etcd().compact("1")).rejects.toThrow("has been compacted");
  });

  it("is reached at a prefix of its own by each test", () => {
    expect(etcd().access().address).not.toEqual(etcd().access().address);
  });
});

describe("an etcd with users", needs("etcd"), () => {
  it("serves clients with a certificate only", async () => {
    const etcd = await startEtcd({ tls: true });
    expect(await etcd.call("kv/put", { key: KEY, value: "AAAA" })).toHaveProperty("header");
    const { ca } = etcd.access();
    await expect(etcd.callAsNobody("kv/range", { key: KEY }, { ca })).rejects.toThrow(
      /certificate|ECONNRESET|EPIPE/,
    );
  });

  it("serves users with a password only, over TLS", async () => {
    const etcd = await startEtcd({ tls: true, auth: { tokenSeconds: 1 } });
    expect(await etcd.call("kv/put", { key: KEY, value: "AAAA" })).toHaveProperty("header");
    await expect(etcd.callAsNobody("kv/range", { key: KEY })).rejects.toThrow("user name is empty");
    expect(await etcd.callAsNobody("auth/authenticate", USER)).toHaveProperty("token");
  });
});
