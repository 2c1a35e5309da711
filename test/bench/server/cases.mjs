import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ServerProcess } from "../shared/server-process.mjs";
import { SERVER_CORE } from "./cores.mjs";
import { benchData, writeData } from "./data.mjs";
import { whole } from "./markdown.mjs";
import { AUTHENTICATION, contentTarget, get } from "./requests.mjs";

const VARIABLES = 1_000;
const LARGE = 100_000;
const PAGE = 25;
/** Headers that `node:http` writes itself. */
const OWN_HEADERS = new Set(["date", "connection", "keep-alive"]);

/**
 * Starts the servers. A case is one kind of request to one of them; the first is the bare server.
 *
 * @param {(server: ServerProcess) => Promise<{ server: ServerProcess, url: string }>} start
 * @returns {Promise<{ name: string, request: string, server: ServerProcess, url: string, isGuarded?: boolean,
 *   authenticate: Function, targets: string[], answers: Map<string, object>, status: number }[]>}
 *   `answers` are those that the data must give, by target; a guarded server checks signatures and limits the rate
 */
export async function startCases(folder, start) {
  const data = benchData(VARIABLES);
  const file = writeData(folder, "data.json", data).path;
  const appvars = await start(ServerProcess.serve(file, { core: SERVER_CORE }));
  const contents = byNameContents(data);
  const recording = join(folder, "recording.json");
  writeFileSync(recording, JSON.stringify(await record(appvars.url, contents.keys())));
  const largeData = benchData(LARGE);
  const largeFile = writeData(folder, "large.json", largeData).path;
  const large = await start(ServerProcess.serve(largeFile, { core: SERVER_CORE }));
  const peer = (name, argument) => start(new ServerProcess([peerPath(name), argument], { core: SERVER_CORE }));

  const content = { request: "content by name", answers: contents, authenticate: AUTHENTICATION.signature };
  const guarded = { ...content, isGuarded: true };
  const ofAppvars = { ...appvars, ...guarded, name: "appvars" };
  const cases = [
    { ...(await peer("bare", recording)), ...content, name: "bare `node:http`" },
    ofAppvars,
    { ...ofAppvars, request: "content by name, key and secret", authenticate: AUTHENTICATION.secret },
    { ...ofAppvars, request: "content by name, no key", authenticate: AUTHENTICATION.signatureWithoutKey },
    { ...ofAppvars, request: `page of ${PAGE} values`, answers: valuePages(data) },
    {
      ...ofAppvars,
      request: "wrong signature",
      authenticate: AUTHENTICATION.wrongSignature,
      answers: refusals(contents.keys()),
      status: 401,
    },
    {
      ...ofAppvars,
      ...large,
      request: `content by name, ${whole(LARGE)} variables`,
      answers: byNameContents(largeData),
    },
    { ...(await peer("fastify", file)), ...guarded, name: "Fastify, @fastify/rate-limit" },
    { ...(await peer("express", file)), ...guarded, name: "Express 4, hmac-auth-express, express-rate-limit" },
    { ...(await peer("json-server", file)), ...content, name: "json-server, no signature, no rate limit" },
  ];
  return cases.map((item) => ({ status: 200, targets: [...item.answers.keys()], ...item }));
}

const peerPath = (name) => fileURLToPath(new URL(`../peers/${name}.mjs`, import.meta.url));

function byNameContents({ variables, values }) {
  const names = new Map(variables.map(({ id, name }) => [id, name]));
  return new Map(values.map(({ variable_id, content }) => [contentTarget(names.get(variable_id)), content]));
}

function valuePages({ values }) {
  const offsets = Array.from({ length: values.length / PAGE }, (_, index) => index * PAGE);
  const data = values.map(({ id, variable_id, content }) => ({ id, variable_id, content }));
  return new Map(
    offsets.map((offset) => [
      `/v1/variables-values?limit=${PAGE}&offset=${offset}`,
      { metadata: { limit: PAGE, offset, total: values.length }, data: data.slice(offset, offset + PAGE) },
    ]),
  );
}

function refusals(targets) {
  return new Map(Array.from(targets, (target) => [target, { message: "Credentials are missing or not valid" }]));
}

/** The answers of appvars, which the bare server repeats. */
async function record(url, targets) {
  const answers = {};
  for (const target of targets) {
    const { status, rawHeaders, body } = await get(url, target, AUTHENTICATION.signature);
    const headers = rawHeaders.filter((_, index) => !OWN_HEADERS.has(rawHeaders[index - (index % 2)].toLowerCase()));
    answers[target] = { status, headers, body };
  }
  return answers;
}
