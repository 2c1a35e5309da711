/**
 * Sends a request every few milliseconds, whether or not the ones before it have been answered. A
 * wait begins when its request was due: a server that stops for a while makes all requests of that
 * time wait, as it does with real clients.
 */
export class SteadyLoad {
  /** @type {{ dueAt: number, wait: number }[]} times of performance.now() */
  waits = [];
  #send;
  #interval;
  #dueAt = performance.now();
  #timer;
  #open = new Set();

  /** @param {() => Promise<unknown>} send */
  constructor(send, intervalMs) {
    this.#send = send;
    this.#interval = intervalMs;
    this.#tick();
  }

  #tick = () => {
    for (; this.#dueAt <= performance.now(); this.#dueAt += this.#interval)
      this.#start(this.#dueAt);
    this.#timer = setTimeout(this.#tick, this.#dueAt - performance.now());
  };

  #start(dueAt) {
    const answered = this.#send().then(() =>
      this.waits.push({ dueAt, wait: performance.now() - dueAt }),
    );
    this.#open.add(answered);
    answered.then(
      () => this.#open.delete(answered),
      // Stays open: `stop` reports it.
      () => {},
    );
  }

  /** Resolves when all requests are answered; rejects if one failed. */
  async stop() {
    clearTimeout(this.#timer);
    await Promise.all(this.#open);
  }

  /** The waits, in milliseconds, of requests that were due in this time. */
  between(start, end) {
    return this.waits.filter(({ dueAt }) => dueAt >= start && dueAt < end).map(({ wait }) => wait);
  }
}
