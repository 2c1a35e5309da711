import { HEADERS } from "./headers.js";
import { PARAMETERS } from "./parameters.js";
import { describePaths } from "./paths.js";
import { RESPONSES } from "./responses.js";
import { SCHEMAS } from "./schemas.js";
import { SECURITY_SCHEMES } from "./security.js";

const DESCRIPTION = `Configuration variables and their values, for one application environment (development, production, test):
a caller authenticates as an environment, and every answer holds that environment's data only. Read-only.

- **Methods.** Every path takes GET and HEAD; HEAD is answered as GET, without the body. Any other method is
  answered 405.
- **Bodies.** Requests have none. Every response with a body is JSON with exactly the fields described here.
- **Paths.** They are case-sensitive and take no slash at their end. An unknown path is answered 404, under \`/v1\` only
  after authentication (else 401). Unknown query parameters are ignored.
- **Rate limit.** Every request is counted, refused ones too: with valid credentials on the counter of their API key,
  otherwise on that of the client's address. The default is 7,500 requests in 60 s. An operator can set another
  limit, or turn it off, and then there are no \`RateLimit-*\` headers.
- **Errors.** Their one field is a message for people. What a program needs to know is in the status.`;

/**
 * The OpenAPI 3.1 document of the HTTP contract, ready to be serialized.
 *
 * @param version the version of this package
 */
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
    servers: [{ url: "http://127.0.0.1:7400", description: "Where `appvars serve` listens by default" }],
    tags: [
      { name: "variables", description: "Definitions, shared by all environments of an application" },
      { name: "values", description: "What variables hold in the caller's environment" },
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
