/** Draws the pictures of docs/performance.md from its tables, after new figures were put there. */
import { readFileSync, writeFileSync } from "node:fs";
import { picturesOf } from "./shared/pictures.mjs";

const DOCS = new URL("../../docs/", import.meta.url);
const pictures = picturesOf(readFileSync(new URL("performance.md", DOCS), "utf8"));
for (const [name, svg] of Object.entries(pictures)) writeFileSync(new URL(name, DOCS), svg);
