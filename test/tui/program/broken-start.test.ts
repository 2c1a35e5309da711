import { expect, it } from "vitest";
import { DATA, edited } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";
import { isWell, remoteProgram } from "../support/remote-program.js";

it("all environments appear once a file that was broken at the start is repaired", async () => {
  const file = await dataFile("{");
  const program = await remoteProgram({ data: file.path, env: "test" }, {});
  await program.until(({ loaded }) => loaded.failure !== undefined);
  await file.write(DATA);
  program.press("r");
  await program.until((state) => isWell(state) && state.places.length > 1);
  const { places, place } = program.state;
  expect(places.flatMap(({ name, isGone }) => (isGone ? [] : [name]))).toEqual([
    "shop/development",
    "shop/test",
    "shop/production",
    "billing/development",
  ]);
  expect(places[place]?.name).toBe("shop/test");
  await file.write(
    edited((data) => data.environments.push({ ...data.environments[0], id: 9, name: "new", api_key: "n" })),
  );
  await program.until(({ places: now }) => now.some(({ name }) => name === "shop/new"));
});
