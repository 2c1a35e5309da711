import { expect, it } from "vitest";
import type { State } from "../../../src/tui/state/state.js";
import { DATA, edited } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";
import { isWell, remoteProgram } from "../support/tui.js";

const ALL = ["shop/development", "shop/test", "shop/production", "billing/development"];
const listed = ({ places }: State) => places.flatMap(({ name, isGone }) => (isGone ? [] : [name]));
const WITH_NEW = edited((data) =>
  data.environments.push({ ...data.environments[0], id: 9, name: "new", api_key: "n" }),
);

/** The program that was started with a broken file, which is repaired by now. */
async function repaired(env: string) {
  const file = await dataFile("{");
  const program = await remoteProgram({ data: file.path, env }, {});
  await program.until(() => program.reading.failure !== undefined);
  await file.write(DATA);
  program.press("r");
  await program.until((state) => state.places.length > 1);
  return { file, program };
}

it("all environments appear once a file that was broken at the start is repaired, and stay the only ones", async () => {
  const { file, program } = await repaired("test");
  await program.until((state) => isWell(state) && state.places[state.place]?.name === "shop/test");
  expect(listed(program.state)).toEqual(ALL);
  await file.write(WITH_NEW);
  await program.until((state) => listed(state).includes("shop/new"));
  expect(listed(program.state)).toEqual([...ALL, "shop/new"]);
  await file.write(DATA);
  await program.until((state) => !listed(state).includes("shop/new"));
  expect(listed(program.state)).toEqual(ALL);
});

it("they appear too if there is none of the name that was asked for, which the screen says", async () => {
  const { file, program } = await repaired("nope");
  await program.until(() => program.reading.failure?.code === "not_found");
  expect(listed(program.state)).toEqual(ALL);
  await file.write(edited((data) => (data.environments[1].name = "nope")));
  await program.until((state) => listed(state).includes("shop/nope"));
  program.press("r");
  await program.until((state) => isWell(state) && state.places[state.place]?.name === "shop/nope");
});
