import { readdirSync, readFileSync } from "node:fs";

const PACKAGE_FOLDER = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;

/** A plugin of the bundler: writes the licences of the packages that are in a bundle beside it, as they ask for. */
export function collectLicenses(fileName) {
  return {
    name: "collect-licenses",
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((chunk) => chunk.moduleIds ?? []);
      const folders = new Map(modules.flatMap((id) => [PACKAGE_FOLDER.exec(id)?.slice(1)]).flatMap(asEntry));
      const texts = [...folders].sort().map(([name, folder]) => `# ${name}\n\n${licenseText(name, folder)}\n`);
      this.emitFile({ type: "asset", fileName, source: texts.join("\n") });
    },
  };
}

function asEntry(match) {
  return match ? [[match[1], match[0]]] : [];
}

/** The text that comes with the package, or where there is none what its package.json says. */
function licenseText(name, folder) {
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file) return readFileSync(`${folder}/${file}`, "utf8").trim();
  const { license, author, repository } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  if (!license) throw new Error(`${name} is bundled, and says nothing of its licence`);
  return [license, author?.name ?? author, repository?.url ?? repository].filter(Boolean).join(", ");
}
