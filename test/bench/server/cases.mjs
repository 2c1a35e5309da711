import { openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ServerProcess } from "../shared/server-process.mjs";
import { SERVER_CORE } from "./cores.mjs";
import { benchData, withNamedKeys, writeData } from "./data.mjs";
import { whole } from "./markdown.mjs";
import { AUTHENTICATION, contentTarget, get } from "./requests.mjs";

const VARIABLES = 1_000;
const FEW = 100;
const MANY = 1_000_000;
/** Of many variables, this many are read. */
const MAX_TARGETS = 20_000;
const PAGE = 50;
const tlsFile = (name) => fileURLToPath(new URL(`../../support/tls/${name}.pem`, import.meta.url));
const TLS = ["--tls-cert", tlsFile("certificate"), "--tls-key", tlsFile("key")];
const LOG = ["--verbose", "--log-format", "json"];
/** Headers that `node:http` writes itself. */
const OWN_HEADERS = new Set(["date", "connection", "keep-alive"]);

/**
 * Starts the servers. A case is one kind of request to one of them.
 *
 * @param {(server: ServerProcess) => Promise<{ server: ServerProcess, url: string }>} start
 * @returns {Promise<{ name: string, request: string, server: ServerProcess, url: string,
 *   isGuarded?: boolean,
 *   authenticate: Function, targets: string[], answers: Map<string, object>, status: number, results: object[], limit?: object }[]>}
 *   `answers` are those that the data must give, by target; a guarded server checks signatures and limits the rate;
 *   `limit` is the case of the bare server that sends the same answers
 */
export async function startCases(folder, start) {
  const serve = async (name, data, flags = []) => {
    const file = writeData(folder, name, data).path;
    const stderr = openSync(`${file}.log`, "w");
    return {
      file,
      ...(await start(ServerProcess.serve(file, { core: SERVER_CORE, flags, stderr }))),
    };
  };
  const peer = (name, argument) =>
    start(new ServerProcess([peerPath(name), argument], { core: SERVER_CORE }));
  const bare = async (name, recorded) => {
    const recording = join(folder, name);
    writeFileSync(recording, JSON.stringify(recorded));
    return { name: "bare `node:http`", ...(await peer("bare", recording)) };
  };

  const data = benchData(VARIABLES);
  const { file, ...appvars } = await serve("data.json", data);
  const fewData = benchData(FEW);
  const manyData = benchData(MANY);
  const few = await serve("few.json", fewData);
  const many = await serve("many.json", manyData);
  const contents = byNameContents(data);
  const pages = valuePages(data);
  const { signature } = AUTHENTICATION;
  const recorded = await record(appvars.url, [...contents.keys(), ...pages.keys()], signature);
  const ifChanged = (target, time) => ({
    ...signature(target, time),
    "if-none-match": etagOf(recorded[target]),
  });
  const unchanged = await record(appvars.url, pages.keys(), ifChanged);
  const repeating = await bare("recording.json", recorded);
  const repeatingUnchanged = await bare("unchanged.json", unchanged);

  const content = { request: "content by name", answers: contents, authenticate: signature };
  const page = { request: `page of ${PAGE} values`, answers: pages, authenticate: signature };
  const unchangedPage = {
    ...page,
    request: "the same, unchanged (304)",
    authenticate: ifChanged,
    status: 304,
  };
  const refused = { answers: refusals(contents.keys()), status: 401 };
  const bareContent = complete({ ...repeating, ...content });
  const barePage = complete({ ...repeating, ...page });
  const bareUnchanged = complete({ ...repeatingUnchanged, ...unchangedPage });
  const guarded = { ...content, isGuarded: true };
  const ofAppvars = { ...appvars, ...guarded, name: "appvars" };
  const others = [
    ofAppvars,
    {
      ...ofAppvars,
      request: "content by name, key and secret",
      authenticate: AUTHENTICATION.secret,
    },
    {
      ...ofAppvars,
      request: "content by name, no key",
      authenticate: AUTHENTICATION.signatureWithoutKey,
    },
    {
      ...ofAppvars,
      ...refused,
      request: "wrong signature",
      authenticate: AUTHENTICATION.wrongSignature,
    },
    { ...ofAppvars, ...refused, request: "wrong key", authenticate: AUTHENTICATION.wrongKey },
    {
      ...ofAppvars,
      ...few,
      request: `content by name, ${FEW} variables`,
      answers: byNameContents(fewData),
    },
    {
      ...ofAppvars,
      ...many,
      request: `content by name, ${whole(MANY)} variables`,
      answers: byNameContents(manyData),
    },
    { ...(await peer("fastify", file)), ...guarded, name: "Fastify, @fastify/rate-limit" },
    {
      ...(await peer("express", file)),
      ...guarded,
      name: "Express 4, hmac-auth-express, express-rate-limit",
    },
    {
      ...(await peer("json-server", file)),
      ...content,
      name: "json-server, no signature, no rate limit",
    },
  ].map((item) => complete({ ...item, limit: bareContent }));
  const plain = others[0];
  const withKeys = await serve("keys.json", withNamedKeys(data, 50));
  const secured = [
    { ...withKeys, request: "content by name, beside 50 named keys" },
    {
      ...withKeys,
      request: "content by name, one of 50 named keys",
      authenticate: AUTHENTICATION.namedKey,
    },
    { ...(await serve("tls.json", data, TLS)), request: "content by name, TLS" },
    { ...(await serve("log.json", data, LOG)), request: "content by name, log of each request" },
    {
      ...(await serve("tls-log.json", data, [...TLS, ...LOG])),
      request: "content by name, TLS and log",
    },
  ].map((item) => complete({ ...guarded, name: "appvars", ...item, limit: plain }));
  return [
    bareContent,
    ...others,
    barePage,
    complete({ ...appvars, ...page, name: "appvars", limit: barePage }),
    bareUnchanged,
    complete({ ...appvars, ...unchangedPage, name: "appvars", limit: bareUnchanged }),
    ...secured,
  ];
}

function complete(item) {
  return { status: 200, targets: [...item.answers.keys()], results: [], ...item };
}

function etagOf({ headers }) {
  return headers[headers.indexOf("ETag") + 1];
}

const peerPath = (name) => fileURLToPath(new URL(`../peers/${name}.mjs`, import.meta.url));

function byNameContents({ variables, values }) {
  const names = new Map(variables.map(({ id, name }) => [id, name]));
  const step = Math.ceil(values.length / MAX_TARGETS);
  const read = values.filter((_, index) => index % step === 0);
  return new Map(
    read.map(({ variable_id, content }) => [contentTarget(names.get(variable_id)), content]),
  );
}

function valuePages({ values }) {
  const offsets = Array.from({ length: values.length / PAGE }, (_, index) => index * PAGE);
  const data = values.map(({ id, variable_id, content }) => ({ id, variable_id, content }));
  return new Map(
    offsets.map((offset) => [
      `/v1/variables-values?limit=${PAGE}&offset=${offset}`,
      {
        metadata: { limit: PAGE, offset, total: values.length },
        data: data.slice(offset, offset + PAGE),
      },
    ]),
  );
}

function refusals(targets) {
  return new Map(
    Array.from(targets, (target) => [target, { message: "Credentials are missing or not valid" }]),
  );
}

/** The answers of appvars, which a bare server repeats. */
async function record(url, targets, authenticate) {
  const answers = {};
  for (const target of targets) {
    const { status, rawHeaders, body } = await get(url, target, authenticate);
    const headers = rawHeaders.filter(
      (_, index) => !OWN_HEADERS.has(rawHeaders[index - (index % 2)].toLowerCase()),
    );
    answers[target] = { status, headers, body };
  }
  return answers;
}
