import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    // Spawned processes and real sockets share two cores with each other; none of these tests is about time.
    testTimeout: 30_000,
  },
});
