import { describe, expect, it } from "vitest";
import { UnauthorizedError, UnreachableError } from "../../../src/kit/text/errors.js";
import { DATA } from "../../support/data.js";
import { contents, increment } from "../../support/edits.js";
import { sharedEtcd, startEtcd, USER } from "../../support/etcd.js";
import { putByHand, storeOf } from "../../support/etcd-records.js";
import { etcdStore, openEtcd } from "../../support/etcd-store.js";
import { needs } from "../../support/needed-program.js";
import { CLIENT_CA, RENEWED } from "../../support/tls.js";

const SECRET = "t0p-s3cr3t";

describe("an etcd with TLS", needs("etcd"), () => {
  const etcd = sharedEtcd({ tls: true });

  it("a store is read, followed and changed with a client certificate", async () => {
    const prefix = etcd().newPrefix();
    await putByHand(etcd(), prefix, storeOf(DATA));
    const access = etcd().access(etcd().storeUrl(prefix));
    const [watching, writer] = [await openEtcd(access, { watch: true }), await openEtcd(access)];
    await writer.update(increment);
    await expect.poll(() => contents(watching)["PORT"]).toBe(3001);
  });

  it.each([
    [
      "without the authority of its certificate",
      { ca: undefined },
      "its certificate is self-signed",
    ],
    ["with another authority", { ca: CLIENT_CA }, "its certificate is self-signed"],
    ["with another server's certificate", { ca: RENEWED.cert }, "its certificate is self-signed"],
    [
      "with a client certificate that it does not know",
      RENEWED,
      "it requires a client certificate that it trusts",
    ],
    [
      "without a client certificate",
      { cert: undefined, key: undefined },
      "it requires a client certificate that it trusts",
    ],
  ])("a store is refused at once %s, with the reason", async (_what, wrong, reason) => {
    const { store } = etcdStore({ ...etcd().access(), ...wrong }, { times: { request: 60_000 } });
    const error: Error = await store.open().catch((caught) => caught);
    expect(error).toBeInstanceOf(UnreachableError);
    expect(error.message).toContain(`(${reason})`);
  });

  it("a URL with the wrong scheme is refused, with a hint", async () => {
    const url = etcd().storeUrl();
    const times = { request: 1 };
    const plain = etcdStore(etcd().access(url.replace("etcds:", "etcd:")), { times }).store;
    await expect(plain.open()).rejects.toThrow(UnreachableError);
    const other = await startEtcd();
    const tls = etcdStore(etcd().access(other.storeUrl().replace("etcd:", "etcds:")), {
      times,
    }).store;
    await expect(tls.open()).rejects.toThrow(
      "it does not speak TLS; should the URL begin with etcd:?",
    );
  });
});

describe("an etcd with users", needs("etcd"), () => {
  const etcd = sharedEtcd({ tls: true, auth: {} });

  async function start() {
    const prefix = etcd().newPrefix();
    await putByHand(etcd(), prefix, storeOf(DATA));
    return etcd().access(etcd().storeUrl(prefix));
  }

  it("a token that is no longer known is asked for again, for reads and changes", async () => {
    const access = await start();
    const [{ store, target }, watching] = [
      etcdStore(access),
      await openEtcd(access, { watch: true }),
    ];
    await store.open();
    const forgetTokens = () => etcd().call("auth/user/changepw", USER);
    await forgetTokens();
    await store.update(increment);
    await forgetTokens();
    expect(await target.gateway.range({ key: "head" })).toHaveLength(1);
    await forgetTokens();
    await store.update(increment);
    await expect.poll(() => contents(watching)["PORT"]).toBe(3002);
    expect(watching.problem).toBeUndefined();
  });

  it("a watch asks for another token when the member has forgotten it", async () => {
    const own = await startEtcd({ auth: {} });
    const prefix = own.newPrefix();
    await putByHand(own, prefix, storeOf(DATA));
    const access = own.access(own.storeUrl(prefix));
    // No comparison asks for it.
    const watching = await openEtcd(access, { watch: true, times: { poll: 3_600_000 } });
    await own.members[0]?.process.kill();
    await own.members[0]?.process.start();
    const writer = await openEtcd(access);
    await writer.update(increment);
    await expect.poll(() => contents(watching)["PORT"]).toBe(3001);
  });

  it.each([
    [
      "a wrong password",
      { password: SECRET },
      "the store refuses the user and password: set APPVARS_STORE_USER",
    ],
    [
      "an unknown user",
      { user: "nobody" },
      "the store refuses the user and password: set APPVARS_STORE_USER",
    ],
    [
      "no user",
      { user: undefined },
      "the store refuses the user and password: set APPVARS_STORE_USER",
    ],
  ])("a store is refused with %s, which is not quoted", async (_what, wrong, reason) => {
    const error: Error = await openEtcd({ ...(await start()), ...wrong }).catch((caught) => caught);
    expect(error).toBeInstanceOf(UnauthorizedError);
    expect(error.message).toContain(reason);
    expect(error.message).not.toContain(SECRET);
  });

  it("a store outside the user's keys is refused", async () => {
    await expect(openEtcd(etcd().access(etcd().storeUrl("/elsewhere")))).rejects.toThrow(
      new UnauthorizedError("the store does not let this user read and write these keys"),
    );
  });
});

describe("an etcd whose users change", needs("etcd"), () => {
  it("the last good data stays once users are required, and a user is refused while there are none", async () => {
    const etcd = await startEtcd();
    const prefix = etcd.newPrefix();
    await putByHand(etcd, prefix, storeOf(DATA));
    const access = etcd.access(etcd.storeUrl(prefix));
    const user = { user: USER.name, password: USER.password };
    await expect(openEtcd({ ...access, ...user })).rejects.toThrow(
      "the store has no users: unset APPVARS_STORE_USER",
    );

    const store = await openEtcd(access, { watch: true });
    await etcd.call("auth/role/add", { name: "root" });
    await etcd.call("auth/user/add", { name: "root", password: USER.password });
    await etcd.call("auth/user/grant", { user: "root", role: "root" });
    await etcd.call("auth/enable", {});
    await expect
      .poll(() => store.problem)
      .toContain("set APPVARS_STORE_USER and APPVARS_STORE_PASSWORD");
    await expect(store.update(increment)).rejects.toThrow(UnauthorizedError);
    expect(contents(store)["PORT"]).toBe(3000);
    const root = await openEtcd({ ...access, user: "root", password: USER.password });
    await root.update(increment);
    expect(contents(root)["PORT"]).toBe(3001);
  });
});
