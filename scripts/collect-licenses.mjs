import { readdirSync, readFileSync } from "node:fs";

const PACKAGE_FOLDER = /^(.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+))[\\/]/;

/**
 * A plugin for Rolldown: writes the licenses of bundled packages next to the bundle, as they
 * require, with the versions, which `npm audit` can't see where appvars is installed.
 */
export function collectLicenses(fileName) {
  return {
    name: "collect-licenses",
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((chunk) => chunk.moduleIds ?? []);
      const folders = new Map(
        modules.flatMap((id) => [PACKAGE_FOLDER.exec(id)?.slice(1)]).flatMap(asEntry),
      );
      const texts = [...folders].sort().map(([name, folder]) => licenseSection(name, folder));
      this.emitFile({ type: "asset", fileName, source: texts.join("\n") });
    },
  };
}

function asEntry(match) {
  return match ? [[match[1], match[0]]] : [];
}

/** A section with the license file of the package, or the license in its package.json. */
function licenseSection(name, folder) {
  const { version, license, author, repository } = JSON.parse(
    readFileSync(`${folder}/package.json`, "utf8"),
  );
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file && !license) throw new Error(`${name} is bundled, and has no license`);
  const text = file
    ? readFileSync(`${folder}/${file}`, "utf8").trim()
    : [license, author?.name ?? author, repository?.url ?? repository].filter(Boolean).join(", ");
  return `# ${name} ${version}\n\n${text}\n`;
}
