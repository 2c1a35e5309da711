import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { KEY, SECRET } from "./data.mjs";

/**
 * More than a server answers in one run. Each has a time of its own, the oldest 30 s ago; servers
 * accept 300 s.
 */
const PREPARED_REQUESTS = 30_000;
/** A prime: the requests reach all parts of the data, in another order than that of the file. */
const STRIDE = 7_919;
const MD5_OF_EMPTY_OBJECT = "99914b932bd37a50b983c5e7c90ae93b";

/**
 * The ways to authenticate: the headers for a target that is signed at a time, in Unix
 * milliseconds.
 */
export const AUTHENTICATION = {
  signature: (target, time) => ({ "x-api-key": KEY, authorization: sign(target, time, SECRET) }),
  signatureWithoutKey: (target, time) => ({ authorization: sign(target, time, SECRET) }),
  wrongSignature: (target, time) => ({
    "x-api-key": KEY,
    authorization: sign(target, time, "another secret"),
  }),
  wrongKey: (target, time) => ({
    "x-api-key": "another-key",
    authorization: sign(target, time, SECRET),
  }),
  namedKey: (target, time) => ({
    "x-api-key": "key-of-client-25",
    authorization: sign(target, time, "secret-of-client-25"),
  }),
  secret: () => ({ "x-api-key": KEY, "x-api-secret": SECRET }),
};

export const contentTarget = (name) => `/v1/variables-values-by-name/${name}/content`;

function sign(target, time, secret) {
  const text = `${time}GET${target}${MD5_OF_EMPTY_OBJECT}`;
  return `HMAC ${time}:${createHmac("sha256", secret).update(text).digest("hex")}`;
}

/** Writes newly signed requests, as they are sent, each with a null character after it. */
export function prepareRequests(path, targets, authenticate) {
  const now = Date.now();
  const requests = Array.from({ length: PREPARED_REQUESTS }, (_, index) => {
    const target = targets[(index * STRIDE) % targets.length];
    const headers = {
      host: "127.0.0.1",
      accept: "application/json",
      ...authenticate(target, now - index),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return `GET ${target} HTTP/1.1\r\n${lines.join("")}\r\n\0`;
  });
  // The file holds credentials, if only of a test.
  writeFileSync(path, requests.join(""), { mode: 0o600 });
}

/** Sends one request, signed now. */
export function get(url, target, authenticate = () => ({}), agent = undefined) {
  return new Promise((resolve, reject) => {
    const { request, Agent } = url.startsWith("https:") ? https : http;
    // The certificate is for a test, which compares the answers.
    const connection = { agent: agent ?? new Agent(), rejectUnauthorized: false };
    request(
      url + target,
      { ...connection, headers: authenticate(target, Date.now()) },
      async (response) => {
        let body = "";
        try {
          for await (const chunk of response.setEncoding("utf8")) body += chunk;
          resolve({
            status: response.statusCode,
            headers: response.headers,
            rawHeaders: response.rawHeaders,
            body,
          });
        } catch (error) {
          reject(error);
        }
      },
    )
      .once("error", reject)
      .end();
  });
}
