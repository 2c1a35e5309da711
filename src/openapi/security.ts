import { DEFAULT_KEYLESS_LIMIT } from "../domain/defaults.js";
import { EMPTY_BODY_HASH, type SignedParts, sign, stringToSign } from "../signing/sign.js";
import { DEFAULT_TOLERANCE } from "../signing/verify.js";

export const SIGNED_EXAMPLE: SignedParts = {
  timestamp: 1_700_000_000_000,
  method: "GET",
  route: "/v1/variables?limit=2",
};
export const EXAMPLE_SECRET = "example-secret";

const SIGNING = `The header is \`Authorization: HMAC <timestamp>:<signature>\`: the word \`HMAC\`, one space, 13 digits, a
colon, 64 lowercase hexadecimal digits. Any other form is refused.

1. \`<timestamp>\` is the current Unix time in milliseconds, in decimal.
2. Concatenate, without separators: the timestamp as in the header; the method in upper case (\`GET\`, \`HEAD\`); the
   request target exactly as it is sent, which is the path and, if there is one, \`?\` and the query; and
   \`${EMPTY_BODY_HASH}\`, the lowercase hexadecimal MD5 of \`{}\`, for the body.
3. \`<signature>\` is the HMAC-SHA256 of that text in UTF-8, keyed with the API secret as UTF-8 text, in lowercase
   hexadecimal.

Example: with the secret \`${EXAMPLE_SECRET}\`, \`GET ${SIGNED_EXAMPLE.route}\` at ${SIGNED_EXAMPLE.timestamp} is the
text

    ${stringToSign(SIGNED_EXAMPLE)}

and the header

    Authorization: ${sign(SIGNED_EXAMPLE, EXAMPLE_SECRET)}

Also accepted: a text without the MD5, a target without its query, and a percent-decoded path. A signature over a path
without its query is valid for every query of that path.

By default the timestamp may be ${DEFAULT_TOLERANCE.past} s in the past and ${DEFAULT_TOLERANCE.future} s in the future of the server's clock.

Send \`x-api-key\` too: it selects the secret. Without it, the signature is checked against the secrets of a limited
number of environments (${DEFAULT_KEYLESS_LIMIT} by default), and the target may be 1 KiB long. When there are too many such requests, those from
addresses that have not signed before are answered 429 unchecked. If there is an \`Authorization\` header, it decides: a
wrong signature is refused even with the right \`x-api-secret\`.`;

export const SECURITY_SCHEMES = {
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "x-api-key",
    description: "The key of one application environment. It is not a secret, but selects the environment.",
  },
  apiSecret: {
    type: "apiKey",
    in: "header",
    name: "x-api-secret",
    description: "The secret that belongs to the key. It is sent unchanged: use a signature or TLS beyond loopback.",
  },
  signature: { type: "http", scheme: "HMAC", description: SIGNING },
};

/** A request for data needs one of these. */
export const DATA_SECURITY = [{ apiKey: [], signature: [] }, { signature: [] }, { apiKey: [], apiSecret: [] }];
