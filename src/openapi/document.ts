import { DEFAULT_RATE_LIMIT, DEFAULT_RATE_WINDOW, DEFAULT_URL } from "../domain/defaults.js";
import { REVISION_HEADER } from "../domain/http-headers.js";
import { HEADERS, PARAMETERS, RESPONSES, SCHEMAS } from "./components.js";
import { describePaths } from "./operations.js";
import { SECURITY_SCHEMES } from "./security.js";

const DESCRIPTION = `Read-only access to configuration variables and their values. A caller authenticates as one environment of an
application (development, production, test), and every answer contains that environment's data only.

- **Methods.** Every path has GET and HEAD; HEAD is answered as GET, without the body. Any other method is answered 405.
- **Bodies.** Requests have none. Every response with a body is JSON with exactly the fields described here.
- **Paths.** They are case-sensitive and have no trailing slash. An unknown path is answered 404; under \`/v1\`, only
  after authentication (otherwise 401). Unknown query parameters are ignored.
- **Rate limit.** Every request is counted, including refused ones: with valid credentials by API key, otherwise by
  client address. The default is ${DEFAULT_RATE_LIMIT.toLocaleString("en")} requests in ${DEFAULT_RATE_WINDOW} s. Without a limit there are no \`RateLimit-*\` headers.
- **Consistency.** An answer contains one revision of the data, which \`${REVISION_HEADER}\` identifies. It is a hash of the
  environment's variables and values: the same on every replica and after a restart.
- **Errors.** The message is for people; programs use the status.`;

/** The OpenAPI 3.1 document of the HTTP API, ready to be serialized. @param version the version of this package */
export function openapiDocument(version: string) {
  return {
    openapi: "3.1.1",
    info: {
      title: "appvars",
      version,
      summary: "The configuration variables of an application environment",
      description: DESCRIPTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: DEFAULT_URL, description: "Where `appvars serve` listens by default" }],
    tags: [
      { name: "variables", description: "Definitions, shared by all environments of an application" },
      { name: "values", description: "The values of variables in the caller's environment" },
      { name: "health", description: "For load balancers and monitors" },
    ],
    paths: describePaths(),
    components: {
      schemas: SCHEMAS,
      parameters: PARAMETERS,
      headers: HEADERS,
      responses: RESPONSES,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}
