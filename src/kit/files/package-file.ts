import { existsSync } from "node:fs";

/**
 * Returns the URL of a file by its path in the package, at any depth of `src`,
 * `build` or `dist`.
 */
export function packageFile(path: string): URL {
  let folder = new URL(".", import.meta.url);
  while (!existsSync(new URL("package.json", folder))) folder = new URL("..", folder);
  return new URL(path, folder);
}
