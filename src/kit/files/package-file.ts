import { existsSync } from "node:fs";

/**
 * The URL of a file in the package, for code at any depth of `src`, `build` or `dist`.
 *
 * @param path relative to the package
 */
export function packageFile(path: string): URL {
  let folder = new URL(".", import.meta.url);
  while (!existsSync(new URL("package.json", folder))) folder = new URL("..", folder);
  return new URL(path, folder);
}
