import { sign } from "../signing/sign.js";
import { EMPTY_BODY_HASH, type SignedParts, stringToSign } from "../signing/signature.js";
import { DEFAULT_TOLERANCE } from "../signing/verify.js";

/** The request that the description of signatures works through. */
export const SIGNED_EXAMPLE: SignedParts = {
  timestamp: 1_700_000_000_000,
  method: "GET",
  route: "/v1/variables?limit=2",
};
export const EXAMPLE_SECRET = "example-secret";

const SIGNING = `The header is \`Authorization: HMAC <timestamp>:<signature>\`: the word \`HMAC\`, one space, 13 digits, a
colon, 64 lowercase hexadecimal digits. Any other form is refused.

1. \`<timestamp>\` is the current Unix time in milliseconds, in decimal.
2. Join these with nothing between them: the timestamp, as in the header; the method in upper case (\`GET\`, \`HEAD\`);
   the request target exactly as it is sent, which is the path and, if there is one, \`?\` and the query; and
   \`${EMPTY_BODY_HASH}\`, the lowercase hexadecimal MD5 of \`{}\`, which stands for the body.
3. \`<signature>\` is the HMAC-SHA256 of that text in UTF-8, keyed with the API secret as UTF-8 text, in lowercase
   hexadecimal.

Example: with the secret \`${EXAMPLE_SECRET}\`, \`GET ${SIGNED_EXAMPLE.route}\` at ${SIGNED_EXAMPLE.timestamp} is the
text

    ${stringToSign(SIGNED_EXAMPLE)}

and the header

    Authorization: ${sign(SIGNED_EXAMPLE, EXAMPLE_SECRET)}

Also accepted: a text without the MD5; a target without its query; a path that is percent-decoded.

By default the timestamp may be ${DEFAULT_TOLERANCE.past} s in the past and ${DEFAULT_TOLERANCE.future} s in the future of the server's clock.

Send \`x-api-key\` too: it says whose secret to check. Without it the signature is checked against the secrets of a
limited number of environments, 100 by default. Where an \`Authorization\` header is sent, it decides: a wrong signature
is refused even with a right \`x-api-secret\`.`;

/** The two mechanisms: key and secret, and a signature. */
export const SECURITY_SCHEMES = {
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "x-api-key",
    description: "The key of one application environment. Not a secret, but it says whose data is asked for.",
  },
  apiSecret: {
    type: "apiKey",
    in: "header",
    name: "x-api-secret",
    description: "The secret that belongs to the key. It travels as it is: use a signature, or TLS, beyond loopback.",
  },
  signature: { type: "http", scheme: "HMAC", description: SIGNING },
};

/** What a request for data needs: one of these. */
export const DATA_SECURITY = [{ apiKey: [], signature: [] }, { signature: [] }, { apiKey: [], apiSecret: [] }];
