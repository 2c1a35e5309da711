import { describe, expect, it, vi } from "vitest";
import type { Transaction } from "../../../src/etcd/gateway.js";
import { logKey } from "../../../src/etcd/log.js";
import { createEtcdStore } from "../../../src/etcd/open-store.js";
import { Sealing } from "../../../src/etcd/sealing.js";
import { InvalidDataError, UnreachableError } from "../../../src/kit/text/errors.js";
import type { Data } from "../../../src/store/data.js";
import { renameVariable } from "../../../src/store/edits/edit-values.js";
import {
  delayAnswer,
  Echoes,
  type Fault,
  Ghost,
  loseAnswer,
  loseRequest,
  lossyLink,
  repeat,
  repeatAtOnce,
} from "../../etcd/lossy-link.js";
import { runCli } from "../../support/cli.js";
import { DATA } from "../../support/data.js";
import { contents, increment, set, unset } from "../../support/edits.js";
import { sharedEtcd } from "../../support/etcd.js";
import { putByHand, readByHand, storeOf } from "../../support/etcd-records.js";
import {
  gate,
  gatewayWith,
  isAbout,
  openEtcd,
  type TestStoreOptions,
} from "../../support/etcd-store.js";
import { needs } from "../../support/needed-program.js";

const UNKNOWN = "it is not known whether the change was made";

/** Texts for two parts. */
const LARGE = Object.fromEntries(
  Array.from({ length: 60 }, (_, index) => [`V${index}`, `${index}`.repeat(20_000)]),
);

describe("the first data of a store", needs("etcd"), () => {
  const etcd = sharedEtcd();

  it("of several that create a store, only the first does, and nothing is written over", async () => {
    const access = etcd().access();
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, () => createEtcdStore(access, DATA)),
    );
    const refused = results.filter(({ status }) => status === "rejected");
    expect(refused).toEqual(
      Array(4).fill({ status: "rejected", reason: expect.any(InvalidDataError) }),
    );
    const before = await readByHand(etcd(), access.address.prefix.slice(0, -1));
    // The parts of the others are gone.
    expect(Object.keys(before)).toHaveLength(4);
    await expect(createEtcdStore(access, DATA)).rejects.toThrow("already holds data");
    expect(await readByHand(etcd(), access.address.prefix.slice(0, -1))).toEqual(before);
    expect(contents(await openEtcd(access))["PORT"]).toBe(3000);
  });

  it("no store is created on the log of another one", async () => {
    const { prefix, ...address } = etcd().access().address;
    await putByHand(etcd(), prefix.slice(0, -1), { [logKey(1)]: "{}" });
    const creating = createEtcdStore({ address: { prefix, ...address } }, DATA);
    await expect(creating).rejects.toThrow(
      /^etcd:\S+ holds data, or a log without a head: use another prefix$/,
    );
  });
});

describe("a change whose outcome is unknown", needs("etcd"), () => {
  const etcd = sharedEtcd();

  /**
   * A store with {@link DATA}, and a writer on a link where the first transactions have these
   * faults.
   */
  async function start(faults: readonly (Fault | undefined)[], options: TestStoreOptions = {}) {
    const prefix = etcd().newPrefix();
    await putByHand(etcd(), prefix, storeOf(DATA));
    const link = await lossyLink(etcd().members[0]?.port ?? 0, (before) => faults[before]);
    const [writer, direct] = [
      await openEtcd(etcd().access(etcd().storeUrl(prefix, [link.port])), options),
      await openEtcd(etcd().access(etcd().storeUrl(prefix))),
    ];
    /** How it is for someone who opens it now. */
    const newest = async () => (await openEtcd(etcd().access(etcd().storeUrl(prefix)))).data;
    return { prefix, link, writer, direct, newest };
  }

  it.each<[string, Fault]>([
    ["the answer was lost", loseAnswer],
    ["the request was lost", loseRequest],
    ["the answer does not come", delayAnswer],
    ["the request does not arrive", () => {}],
  ])("a change is made exactly once if %s", async (_what, fault) => {
    for (const watch of [false, true]) {
      const { writer, newest } = await start([fault], { watch, times: { attempt: 300 } });
      await writer.update(increment);
      expect(contents(writer)["PORT"]).toBe(3001);
      await writer.update(increment);
      expect(contents({ data: await newest() })["PORT"]).toBe(3002);
    }
  });

  it("a change is made exactly once if another writer was faster in the meantime", async () => {
    for (const fault of [loseAnswer, loseRequest]) {
      const between: Fault = async (exchange) => {
        if (fault === loseAnswer) await exchange.forward();
        await direct.update(increment);
        exchange.drop();
      };
      const { writer, direct, newest } = await start([between]);
      await writer.update(increment);
      // A change that had been made is shown as it was then.
      expect(contents(writer)["PORT"]).toBe(fault === loseAnswer ? 3001 : 3002);
      expect(contents({ data: await newest() })["PORT"]).toBe(3002);
    }
  });

  it("a change that arrives after it was made again is not made twice", async () => {
    const ghost = new Ghost();
    const { writer, newest } = await start([ghost.fault]);
    await writer.update(increment);
    await writer.update((data) => set(data, { EMPTY: "later" }));
    expect(await ghost.land()).not.toContain("succeeded");
    expect(contents({ data: await newest() })).toMatchObject({ PORT: 3001, EMPTY: "later" });
  });

  it("a change that arrives late is not made twice, although another writer had the turn in the meantime", async () => {
    const ghost = new Ghost();
    const turn = (text: string | undefined) => putByHand(etcd(), prefix, { turn: text });
    const taken: Fault = async (exchange) => {
      await turn("");
      await ghost.fault(exchange);
    };
    const ended: Fault = async ({ drop }) => {
      await turn(undefined);
      expect(await ghost.land()).toContain("succeeded");
      drop();
    };
    const { prefix, writer, newest } = await start([taken, undefined, undefined, ended]);
    await writer.update(increment);
    expect(contents({ data: await newest() })["PORT"]).toBe(3001);
    expect(await newest()).toEqual(writer.data);
  });

  it("a change that arrives just before it is made again is not made twice", async () => {
    for (const watch of [false, true]) {
      const ghost = new Ghost();
      const landing: Fault = async ({ forward, drop }) => {
        expect(await ghost.land()).toContain("succeeded");
        await forward();
        drop();
      };
      const { writer, newest } = await start([ghost.fault, landing], { watch });
      await writer.update(increment);
      expect(contents(writer)["PORT"]).toBe(3001);
      expect(await newest()).toEqual(writer.data);
    }
  });

  it("a change that was lost is made although a snapshot has replaced the head in the meantime", async () => {
    const { prefix, link, newest } = await start([
      async ({ drop }) => {
        snapshot.open();
        await updating;
        drop();
      },
    ]);
    const snapshot = gate();
    const gatewayTo = gatewayWith({
      beforeCommit: async (transaction) => {
        if (isAbout("head", transaction) && !isAbout("log/", transaction)) await snapshot.opened;
      },
    });
    const direct = await openEtcd(etcd().access(etcd().storeUrl(prefix)), { gatewayTo });
    const updating = direct.update((data) => set(data, LARGE));
    await expect.poll(async () => contents({ data: await newest() })).toHaveProperty("V0");
    const url = etcd().storeUrl(prefix, [link.port]);
    const writer = await openEtcd(etcd().access(url), { times: { attempt: 10_000 } });
    await writer.update(increment);
    expect(contents({ data: await newest() })["PORT"]).toBe(3001);
  });

  it("the outcome stays unknown if nobody answers any more", async () => {
    const losing: Fault = async ({ forward, drop }) => {
      await forward();
      link.isDown = true;
      drop();
    };
    const { link, writer } = await start([losing], { times: { request: 200, write: 200 } });
    await expect(writer.update(increment)).rejects.toThrow(new RegExp(`; ${UNKNOWN}$`));
  });

  it("a change that was made is not called a failure if nobody answers after it was found", async () => {
    // The answer that shows the entry, and then no more.
    const last: Fault = async ({ forward, reply }) => {
      reply(await forward());
      link.isDown = true;
    };
    const { link, writer, newest } = await start([loseAnswer, last], {
      times: { request: 200, write: 200 },
    });
    await writer.update(increment);
    expect(contents(writer)["PORT"]).toBe(3001);
    expect(contents({ data: await newest() })["PORT"]).toBe(3001);
  });

  it("a change is made, and not called unknown, after its writer had the turn and lost it", async () => {
    const { prefix, direct, newest } = await start([]);
    const lose = vi.fn<Fault>(async ({ drop }) => {
      await putByHand(etcd(), prefix, { turn: undefined });
      drop();
    });
    let hasTurn = false;
    const link = await lossyLink(etcd().members[0]?.port ?? 0, () =>
      hasTurn && lose.mock.calls.length === 0 ? lose : undefined,
    );
    let others = 0;
    const beforeCommit = async ({ conditions }: Transaction) => {
      const isOf = (name: string) => conditions.filter(({ key }) => key === name);
      hasTurn =
        isOf("head").length > 0 && isOf("turn").some(({ modRevision = 0 }) => modRevision > 0);
      if (hasTurn || lose.mock.calls.length > 0 || isOf("head").length === 0) return;
      // Until this one takes the turn.
      others++;
      await direct.update(increment);
    };
    const writer = await openEtcd(etcd().access(etcd().storeUrl(prefix, [link.port])), {
      gatewayTo: gatewayWith({ beforeCommit }),
      times: { write: 15_000 },
    });
    await writer.update(increment);
    expect(lose).toHaveBeenCalledTimes(1);
    expect(contents({ data: await newest() })["PORT"]).toBe(3001 + others);
  });

  it("a large change is made, and not called unknown, after its lease has ended", async () => {
    const ending: Fault = async ({ drop }) => {
      const uploads = Object.entries(await readByHand(etcd(), prefix)).filter(
        ([key, owner]) => key.startsWith("uploads/") && owner !== "snapshot",
      );
      expect(uploads).toHaveLength(1);
      await putByHand(etcd(), prefix, { [uploads[0]?.[0] ?? ""]: undefined });
      drop();
    };
    const { prefix, writer, newest } = await start([undefined, undefined, ending]);
    await writer.update((data) => increment(set(data, LARGE)));
    expect(contents({ data: await newest() })).toMatchObject({ ...LARGE, PORT: 3001 });
  });

  // Of an ordinary one the first transaction; a large one announces the upload and writes a part
  // before.
  it.each<[string, (data: Data) => Data, number]>([
    ["", increment, 0],
    ["large ", (data) => increment(set(data, LARGE)), 2],
  ])(
    "a %schange that is refused while another writer has the turn is not made twice if it is delivered again",
    async (_large, change, position) => {
      const turn = (text: string | undefined) => putByHand(etcd(), prefix, { turn: text });
      const refused: Fault = async ({ forward, reply }) => {
        await turn("");
        const answer = await forward();
        await turn(undefined);
        expect(answer.toString()).not.toContain("succeeded");
        expect((await forward()).toString()).toContain("succeeded");
        reply(answer);
      };
      const faults: Fault[] = [];
      faults[position] = refused;
      const { prefix, writer, newest } = await start(faults);
      await writer.update(change);
      expect(contents({ data: await newest() })["PORT"]).toBe(3001);
      expect(await newest()).toEqual(writer.data);
    },
  );

  it("the outcome stays unknown if each attempt fails", async () => {
    const { writer, newest } = await start(Array(100).fill(loseRequest), { times: { write: 300 } });
    await expect(writer.update(increment)).rejects.toThrow(
      `(the connection was reset); ${UNKNOWN}`,
    );
    expect(contents({ data: await newest() })["PORT"]).toBe(3000);
  });

  it("the outcome stays unknown if the entry that tells it was removed", async () => {
    const losing: Fault = async ({ forward, drop }) => {
      await forward();
      for (let writes = 0; writes < 3; writes++) await direct.update(increment);
      // Writes a snapshot, and removes the log before it.
      await direct.resealAll(new Sealing());
      drop();
    };
    const { writer, direct } = await start([losing]);
    await expect(writer.update(increment)).rejects.toThrow(`no longer kept; ${UNKNOWN}`);
    // The next one is another change.
    await writer.update(increment);
    expect(contents(writer)["PORT"]).toBe(3005);
  });

  it("a change that is refused after one whose outcome is known fails with the reason", async () => {
    const between: Fault = async ({ drop }) => {
      await direct.update((data) => unset(data, "EMPTY"));
      drop();
    };
    const { writer, direct } = await start([between]);
    await expect(writer.update((data) => unset(data, "EMPTY"))).rejects.toThrow(
      '"EMPTY" has no value',
    );
  });

  it("a store that is closed ends its change", async () => {
    const { writer } = await start(Array(100).fill(() => {}));
    const updating = writer.update(increment);
    await writer.close();
    await expect(updating).rejects.toThrow(UnreachableError);
  });

  it("a store that is closed does not try again", async () => {
    for (const change of [increment, (data: Data) => set(data, LARGE)]) {
      const { link, writer } = await start([], { times: { request: 60_000, write: 60_000 } });
      link.isDown = true;
      const updating = writer.update(change);
      await writer.close();
      await expect(updating).rejects.toThrow(UnreachableError);
    }
  });

  it("a large change is not made as long as it only prepares to be", async () => {
    const { prefix, writer } = await start(Array(100).fill(loseAnswer), { times: { write: 300 } });
    const before = await readByHand(etcd(), prefix);
    const error: Error = await writer.update((data) => set(data, LARGE)).catch((caught) => caught);
    expect(error).toBeInstanceOf(UnreachableError);
    expect(error.message).toMatch(/\(the connection was reset\); nothing was changed$/);
    const { head } = await readByHand(etcd(), prefix);
    expect(head).toEqual(before["head"]);
  });

  describe("a change that is too large for one transaction", () => {
    const change = (data: Data) => increment(set(data, LARGE));

    // It announces the upload, writes a part, and adds the entry.
    it.each([0, 1, 2])(
      "is made exactly once if the answer to transaction %d is lost",
      async (position) => {
        const faults: Fault[] = [];
        faults[position] = loseAnswer;
        const { link, writer, newest } = await start(faults);
        await writer.update(change);
        expect(link.transactions).toBeGreaterThan(position);
        expect(contents(writer)).toMatchObject({ ...LARGE, PORT: 3001 });
        expect(await newest()).toEqual(writer.data);
        await writer.update(increment);
        expect(contents({ data: await newest() })["PORT"]).toBe(3002);
      },
    );
  });
});

describe("a change by a writer whose data is outdated", needs("etcd"), () => {
  const etcd = sharedEtcd();

  /** A writer, and what another one has changed since it was opened. */
  async function start(change: (data: Data) => Data) {
    const prefix = etcd().newPrefix();
    await putByHand(etcd(), prefix, storeOf(DATA));
    const open = () => openEtcd(etcd().access(etcd().storeUrl(prefix)), { watch: false });
    const [writer, other] = [await open(), await open()];
    await other.update(change);
    expect(contents(writer)).toMatchObject({ PORT: 3000, EMPTY: "" });
    expect(contents(writer)).not.toHaveProperty("NEW");
    return { writer, open };
  }

  it("is made although the outdated data has the same value already", async () => {
    const { writer, open } = await start((data) => set(data, { PORT: 4000 }));
    await writer.update((data) => set(data, { PORT: 3000 }));
    expect(contents(await open())["PORT"]).toBe(3000);
    expect(writer.data).toEqual((await open()).data);
  });

  it.each<[string, (data: Data) => Data, object]>([
    ["unsets", (data) => unset(data, "NEW"), {}],
    ["renames", (data) => renameVariable(data, "shop", "NEW", "NEWER"), { NEWER: "new" }],
  ])(
    "is made if it %s a variable that the outdated data lacks",
    async (_what, change, expected) => {
      const { writer, open } = await start((data) => set(data, { NEW: "new" }));
      await writer.update(change);
      expect(contents(await open())).toEqual({ ...contents({ data: DATA }), ...expected });
      expect(writer.data).toEqual((await open()).data);
    },
  );

  it("is made if it gives a variable a name that is taken in the outdated data only", async () => {
    const { writer, open } = await start((data) => unset(data, "EMPTY"));
    await writer.update((data) => renameVariable(data, "shop", "PORT", "EMPTY"));
    expect(contents(await open())).toMatchObject({ EMPTY: 3000 });
    expect(writer.data).toEqual((await open()).data);
  });
});

/** The first time, no answer arrives. */
function loseAnswerOf(fault: Fault): Fault {
  let count = 0;
  return (exchange) => (count++ % 2 === 0 ? loseAnswer(exchange) : fault(exchange));
}

const echoes = new Echoes();
describe.each<[string, Fault]>([
  ["one after the other", repeat],
  ["at the same time", repeatAtOnce],
  ["the second time later", echoes.fault],
  ["one after the other, and the first answer is lost", loseAnswerOf(repeat)],
])("on a link that delivers each request twice, %s", (_how, fault) => {
  const etcd = sharedEtcd();

  async function start() {
    const prefix = etcd().newPrefix();
    const link = await lossyLink(etcd().members[0]?.port ?? 0, () => fault, { all: true });
    return {
      access: etcd().access(etcd().storeUrl(prefix, [link.port])),
      direct: etcd().access(etcd().storeUrl(prefix)),
    };
  }

  it("commands make their change once, and say so", needs("etcd"), async () => {
    const { access, direct } = await start();
    await createEtcdStore(access, DATA);
    const large = JSON.stringify(LARGE);
    for (const [line, stdin] of [
      ["rename PORT LISTEN_PORT --application shop"],
      ["unset EMPTY --env shop/development"],
      ["env add shop/staging"],
      ["env key add shop/staging --name ci"],
      ["import - --format json --env shop/staging", large],
      ["rename LISTEN_PORT PORT --application shop"],
    ] as const) {
      const words = [...line.split(" "), "--store", access.address.url];
      const { code } = await runCli(words, { stdin: stdin ?? "" });
      expect([line, code]).toEqual([line, 0]);
    }
    await echoes.landAll();
    const { writes, data } = await (await openEtcd(direct)).history();
    const commands: string[] = [];
    for await (const { command } of writes) commands.unshift(command);
    expect(commands).toEqual(["rename", "unset", "env add", "env key add", "import", "rename"]);
    expect(contents({ data })).toMatchObject({ PORT: 3000 });
    // The import makes a snapshot, too.
    const { head = "", ...keys } = await readByHand(etcd(), direct.address.prefix.slice(0, -1));
    expect(JSON.parse(head).snapshot.version).toBe(6);
    expect(Object.values(keys)).toEqual(expect.arrayContaining(["6", "snapshot"]));
    expect(
      data.values.filter(({ content: { value } }) => Object.values(LARGE).includes(String(value))),
    ).toHaveLength(60);
  });

  it("writers at the same time make each change once", needs("etcd"), async () => {
    const { access, direct } = await start();
    await createEtcdStore(access, DATA);
    const writers = await Promise.all(Array.from({ length: 4 }, () => openEtcd(access)));
    await Promise.all(
      writers.map(async (writer) => {
        for (let writes = 0; writes < 10; writes++) await writer.update(increment);
      }),
    );
    await writers[0]?.resealAll(new Sealing());
    await echoes.landAll();
    const newest = await openEtcd(direct);
    expect(contents(newest)["PORT"]).toBe(3040);
    // The first data, the increments, and everything again.
    expect(newest.version).toMatch(/^42-/);
  });
});
