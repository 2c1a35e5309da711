import { readdirSync, readFileSync } from "node:fs";

const PACKAGE_FOLDER = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;

/** A plugin for Rolldown: writes the licenses of bundled packages next to the bundle, as they require. */
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

/** The license file of a package, or what its package.json says. */
function licenseText(name, folder) {
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file) return readFileSync(`${folder}/${file}`, "utf8").trim();
  const { license, author, repository } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  if (!license) throw new Error(`${name} is bundled, and says nothing of its license`);
  return [license, author?.name ?? author, repository?.url ?? repository].filter(Boolean).join(", ");
}
