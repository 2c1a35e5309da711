import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, it } from "vitest";
import { DOCUMENTS, REPOSITORY } from "./documents.js";

const FILES = [
  ...DOCUMENTS,
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "SECURITY.md",
  "test/scripts/README.md",
];

it.each(FILES)("relative links in %s lead to files and headings that exist", (path) => {
  expect(linksOf(path).filter((link) => !exists(link, path))).toEqual([]);
});

it("links between the packaged documents lead to packaged files", () => {
  const { files } = JSON.parse(read("package.json"));
  const packaged = [...files, "README.md", "LICENSE", "package.json"];
  const isPackaged = (file: string) =>
    packaged.some((name) => file === name || file.startsWith(`${name}/`));
  const targets = FILES.filter(isPackaged).flatMap((path) =>
    linksOf(path).map((link) => targetOf(link, path).file),
  );
  expect(targets).toContain("CONTRIBUTING.md");
  expect(targets.filter((file) => !isPackaged(file))).toEqual([]);
});

it.each(FILES)("each table in %s is in one piece, under a heading", (path) => {
  const blocks = read(path).split(/\n{2,}/);
  const tables = blocks.filter((block) => /^\|/.test(block));
  expect(tables.filter((block) => !/^\|.*\|\n\|[-|:]+\|(\n|$)/.test(block))).toEqual([]);
});

it("the package has no script that npm would run, and warn of, when it is installed", () => {
  const { scripts } = JSON.parse(read("package.json"));
  const run = ["preinstall", "install", "postinstall", "prepare"];
  expect(Object.keys(scripts).filter((name) => run.includes(name))).toEqual([]);
});

function linksOf(path: string): string[] {
  const text = read(path).replaceAll(/^```.*?^```$/gms, "");
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link as string);
  return links.filter((link) => !/^[a-z]+:/.test(link));
}

function exists(link: string, from: string): boolean {
  const { file, anchor } = targetOf(link, from);
  if (!existsSync(join(REPOSITORY, file))) return false;
  return anchor === undefined || anchorsOf(read(file)).includes(anchor);
}

function targetOf(link: string, from: string): { file: string; anchor: string | undefined } {
  const [path, anchor] = link.split("#");
  return { file: path ? relative(".", join(dirname(from), path)) : from, anchor };
}

/**
 * The anchors that GitHub and npm make from headings: lower case, without punctuation, with hyphens
 * for spaces.
 */
function anchorsOf(markdown: string): string[] {
  const headings = [...markdown.replaceAll(/^```.*?^```$/gms, "").matchAll(/^#+ (.*)$/gm)];
  return headings.map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

function read(path: string): string {
  return readFileSync(join(REPOSITORY, path), "utf8");
}
