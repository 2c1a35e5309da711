// A process that writes to a store: node writer.mjs URL JOB [ARGUMENT...]. It prints JSON when it
// is done, or the message of an error, and then ends with 5.
import { setTimeout as delay } from "node:timers/promises";
import { etcdStore } from "../../build/etcd/open-store.js";
import { parseStoreUrl } from "../../build/model/store-address.js";

const JOBS = {
  /**
   * Adds 1 to the counter with an id until its stdin ends. Prints how often, and how long the
   * slowest took.
   */
  async count(store, id) {
    let isOver = false;
    process.stdin.resume().once("end", () => {
      isOver = true;
    });
    const done = { acknowledged: 0, slowest: 0 };
    while (!isOver) {
      const start = performance.now();
      await store.update((data) => countedOn(data, Number(id)));
      done.acknowledged++;
      done.slowest = Math.max(done.slowest, performance.now() - start);
    }
    return done;
  },

  /**
   * Changes texts of bigData or textsData, at so many writes a second, until its stdin ends. Prints
   * how often.
   */
  async pace(store, least, most) {
    let isOver = false;
    process.stdin.resume().once("end", () => {
      isOver = true;
    });
    const done = { acknowledged: 0 };
    for (let next = performance.now(); !isOver; ) {
      const perSecond = Number(least) + Math.random() * (most - least);
      next = Math.max(next + 1_000 / perSecond, performance.now() - 1_000);
      await delay(Math.max(0, next - performance.now()));
      const index = 4 * Math.floor((Math.random() * store.data.values.length) / 4);
      await store.update(({ values, ...rest }) => {
        const value = `${done.acknowledged}`.padEnd(200, "-");
        return { ...rest, values: values.with(index, { ...values[index], content: { value } }) };
      });
      done.acknowledged++;
    }
    return done;
  },

  /**
   * Gives the first values a text of so many characters that can't be compressed well, in one
   * write.
   */
  async fill(store, count, length) {
    let attempts = 0;
    await store.update((data) => {
      attempts++;
      const values = data.values.map((each, index) =>
        index < Number(count)
          ? { ...each, content: { value: noise(index, Number(length)) } }
          : each,
      );
      return { ...data, values };
    });
    return { attempts };
  },
};

function countedOn(data, counter) {
  const values = data.values.map((each) =>
    each.id === counter ? { ...each, content: { value: each.content.value + 1 } } : each,
  );
  return { ...data, values };
}

function noise(seed, length) {
  let state = seed + 1;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state.toString(36);
  };
  let text = "";
  while (text.length < length) text += next();
  return text.slice(0, length);
}

const [url, job, ...args] = process.argv.slice(2);
const times = JSON.parse(process.env.TIMES ?? "{}");
const author = { actor: "writer@test", command: job };
const store = etcdStore({ address: parseStoreUrl(url, "the URL"), author }, { times });
try {
  await store.open();
  process.stdout.write(`${JSON.stringify(await JOBS[job](store, ...args))}\n`);
} catch (error) {
  process.stdout.write(`${error.message}\n`);
  process.exitCode = 5;
} finally {
  await store.close();
}
