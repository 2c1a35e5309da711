import type { PackedData } from "../store/packed-data.js";
import type { Store } from "../store/store.js";
import type { StoreMessage } from "./messages.js";
import { disassemble, splitArrays } from "./snapshot-parts.js";

/** Bytes of a message: neither process is busy with one for more than about a millisecond. */
const MESSAGE_BYTES = 1_024 * 1_024;

/** How often to look whether the store has found that its data is still the newest. */
const AGE_INTERVAL_MS = 1_000;

/**
 * Sends a store's data and problem to a worker, now and after each change, and the age of the data when it falls.
 *
 * @param send resolves once the message has been sent, which limits the memory that messages take; rejects when the
 *   worker has ended
 * @param ticks monotonic clock in milliseconds
 * @returns stops it
 */
export function feedSnapshots(
  store: Store<PackedData>,
  send: (message: StoreMessage) => Promise<void>,
  ticks = () => performance.now(),
): () => void {
  let sent: PackedData | undefined;
  let isSending = false;
  /** When the data was last known to be the newest, as the worker has been told. */
  let toldAt = Number.NEGATIVE_INFINITY;

  const tellAge = (age: number) => {
    toldAt = ticks() - age;
    return age;
  };
  const sendNewest = async () => {
    if (isSending) return;
    isSending = true;
    while (sent !== store.snapshot) {
      const { snapshot } = store;
      for (const message of messages(snapshot)) {
        // Not before that: until then, the worker has older data.
        const isComplete = message.kind === "end" && store.age !== undefined;
        await send(isComplete ? { ...message, age: tellAge(store.age) } : message);
        // Newer data takes the place of what is being sent.
        if (store.snapshot !== snapshot) break;
      }
      if (store.snapshot === snapshot) sent = snapshot;
    }
    const { age } = store;
    // More than rounding.
    if (age !== undefined && ticks() - age > toldAt + 1) await send({ kind: "age", age: tellAge(age) });
    isSending = false;
  };
  const update = () => {
    send({ kind: "problem", problem: store.problem })
      .then(sendNewest)
      .catch(() => {});
  };
  update();
  const askAge = () => void sendNewest().catch(() => {});
  const timer = store.age === undefined ? undefined : setInterval(askAge, AGE_INTERVAL_MS).unref();
  const unsubscribe = store.subscribe(update);
  return () => {
    clearInterval(timer);
    unsubscribe();
  };
}

type Disassembled = ReturnType<typeof disassemble>;

/** Made once for all workers. */
const known = new WeakMap<PackedData, Disassembled>();

function* messages(snapshot: PackedData): Generator<StoreMessage> {
  const { outline, arrays } = known.get(snapshot) ?? disassemble(snapshot);
  known.set(snapshot, { outline, arrays });
  yield { kind: "outline", outline };
  for (const parts of splitArrays(arrays, MESSAGE_BYTES)) yield { kind: "parts", parts };
  yield { kind: "end" };
}
