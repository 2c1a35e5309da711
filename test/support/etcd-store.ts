import { onTestFinished } from "vitest";
import { EtcdStore, type EtcdStoreOptions } from "../../src/etcd/etcd-store.js";
import { Gateway, type KeyRange, type Transaction } from "../../src/etcd/gateway.js";
import type { GatewayOptions, Timings } from "../../src/etcd/member-client.js";
import type { EtcdConnection } from "../../src/etcd/open-store.js";
import { Sealing } from "../../src/etcd/sealing.js";
import type { StoreTarget } from "../../src/etcd/uploads.js";
import { parseData } from "../../src/store/schema/parse-data.js";

/** Short enough for tests, and long enough for a busy machine. */
const QUICK: Timings = {
  attempt: 1_000,
  request: 3_000,
  write: 5_000,
  poll: 100,
  lease: 5_000,
};

export interface TestStoreOptions extends Pick<EtcdStoreOptions, "watch" | "warn"> {
  parse?: StoreTarget["parse"];
  times?: Partial<Timings>;
  /** Default: a {@link Gateway} */
  gatewayTo?: (options: GatewayOptions) => Gateway;
}

/** A store that is not opened yet, with times for tests. Closed when the current test ends. */
export function etcdStore(
  { address, sealKeys, ...access }: EtcdConnection,
  {
    times,
    parse = (bytes) => parseData(bytes),
    gatewayTo = (options) => new Gateway(options),
    ...options
  }: TestStoreOptions = {},
) {
  const gateway = gatewayTo({ ...address, ...access, times: { ...QUICK, ...times } });
  const sealing = new Sealing(sealKeys);
  const target = { gateway, sealing };
  const author = { actor: "tester@test", command: "test" };
  const store = new EtcdStore({
    target: { ...target, parse: async (...args) => parse(...args) },
    url: address.url,
    author,
    ...options,
  });
  onTestFinished(() => store.close());
  return { store, target };
}

export async function openEtcd(
  access: EtcdConnection,
  options: TestStoreOptions = {},
): Promise<EtcdStore> {
  return etcdStore(access, options).store.open();
}

interface GatewaySteps {
  /** Before a transaction is sent. */
  beforeCommit?: (transaction: Transaction) => Promise<void> | void;
  /** Before a watch tells that it has begun, or of a change. */
  beforeChange?: () => Promise<void> | void;
  /** After keys were read. */
  afterRange?: (ranges: readonly KeyRange[]) => Promise<void> | void;
}

/** A gateway with other events before or after its calls. */
export function gatewayWith({ beforeCommit, beforeChange, afterRange }: GatewaySteps) {
  class SteppedGateway extends Gateway {
    override async commit(...args: Parameters<Gateway["commit"]>) {
      await beforeCommit?.(args[0]);
      return super.commit(...args);
    }

    override async ranges(...args: Parameters<Gateway["ranges"]>) {
      const answers = await super.ranges(...args);
      await afterRange?.(args[0]);
      return answers;
    }

    override async *watch(...args: Parameters<Gateway["watch"]>) {
      for await (const _ of super.watch(...args)) {
        await beforeChange?.();
        yield;
      }
    }
  }
  return (options: GatewayOptions) => new SteppedGateway(options);
}

export function isAbout(part: string, { puts = [] }: Transaction): boolean {
  return puts.some(({ key }) => key.startsWith(part));
}

/** A promise and how to resolve it, which Node 20 has no function for. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
