import { Worker } from "../../../cluster/worker.js";
import type { ToWorker } from "../../../cluster/worker-messages.js";
import { openServed, type ServedData } from "../../../tasks/data/served-data.js";

// A process that `serve --workers` starts.

// Signals to all processes of a service are for the primary, which lets the workers answer open
// requests. SIGUSR1 would open Node's debugger.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK", "SIGUSR1"] as const)
  process.on(signal, () => {});

// The link closes when the worker has finished, and when the primary has ended, however that
// happened.
process.on("disconnect", () => process.exit());
if (!process.connected) process.exit();

const worker = new Worker(
  {
    send: (message, onSent) => process.send?.(message, undefined, undefined, () => onSent?.()),
    end: () => process.disconnect(),
  },
  (data) => openServed(data as ServedData, Date.now),
  Date.now,
);
process.on("message", (message: ToWorker) => worker.receive(message));
