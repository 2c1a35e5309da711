import { onTestFinished } from "vitest";
import { EtcdStore, type EtcdStoreOptions } from "../../src/etcd/etcd-store.js";
import { Gateway, type GatewayOptions } from "../../src/etcd/gateway.js";
import type { StoreAccess } from "../../src/etcd/open-store.js";
import { createSealing, PLAIN } from "../../src/etcd/sealing.js";
import type { Times } from "../../src/etcd/times.js";
import { type Data, NO_DATA } from "../../src/store/data.js";
import { parseData } from "../../src/store/parse-data.js";

/** Short enough for tests, and long enough for a busy machine. */
export const QUICK: Times = {
  attempt: 1_000,
  request: 3_000,
  write: 5_000,
  poll: 100,
  pollRequest: 1_000,
  watchDelay: 50,
  watch: 60_000,
};

export interface TestStoreOptions extends Partial<Pick<EtcdStoreOptions<Data>, "watch" | "parse">> {
  times?: Partial<Times>;
  clock?: () => number;
  /** Default: a {@link Gateway} */
  gatewayTo?: (options: GatewayOptions) => Gateway;
}

/** A store that is not opened yet, with {@link QUICK} times. Closed when the current test ends. */
export function etcdStore(
  { address, sealingKeys, ...access }: StoreAccess,
  { times, clock = Date.now, gatewayTo = (options) => new Gateway(options), ...options }: TestStoreOptions = {},
) {
  const { endpoints, prefix, url } = address;
  const gateway = gatewayTo({ endpoints, ...access, times: { ...QUICK, ...times } });
  const sealing = sealingKeys === undefined ? PLAIN : createSealing(sealingKeys);
  const target = { gateway, prefix, sealing, clock };
  const parse = (bytes: Buffer) => parseData(bytes);
  const store = new EtcdStore<Data>({
    ...{ target, url, nothing: NO_DATA, parse, times: { ...QUICK, ...times } },
    ...options,
  });
  onTestFinished(() => store.close());
  return { store, target };
}

export async function openEtcd(access: StoreAccess, options: TestStoreOptions = {}): Promise<EtcdStore<Data>> {
  return etcdStore(access, options).store.open();
}
