/** The same host and port with the other one of http and https. */
export function otherScheme(origin: URL): URL {
  const isTls = origin.protocol === "https:";
  const port = origin.port || (isTls ? "443" : "80");
  return new URL(`${isTls ? "http" : "https"}://${origin.hostname}:${port}`);
}
