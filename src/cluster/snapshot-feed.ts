import type { PackedData } from "../store/packed-data.js";
import type { Store } from "../store/store.js";
import type { StoreMessage } from "./messages.js";
import { disassemble, splitArrays } from "./snapshot-parts.js";

/** Bytes of a message: neither process is busy with one for more than about a millisecond. */
const MESSAGE_BYTES = 1_024 * 1_024;

/**
 * Sends a store's data and problem to a worker, now and after each change.
 *
 * @param send resolves once the message has been sent, which limits the memory that messages take; rejects when the
 *   worker has ended
 * @returns stops it
 */
export function feedSnapshots(store: Store<PackedData>, send: (message: StoreMessage) => Promise<void>): () => void {
  let sent: PackedData | undefined;
  let isSending = false;

  const sendNewest = async () => {
    if (isSending) return;
    isSending = true;
    while (sent !== store.snapshot) {
      const { snapshot } = store;
      for (const message of messages(snapshot)) {
        await send(message);
        // Newer data takes the place of what is being sent.
        if (store.snapshot !== snapshot) break;
      }
      if (store.snapshot === snapshot) sent = snapshot;
    }
    isSending = false;
  };
  const update = () => {
    send({ kind: "problem", problem: store.problem })
      .then(sendNewest)
      .catch(() => {});
  };
  update();
  return store.subscribe(update);
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
