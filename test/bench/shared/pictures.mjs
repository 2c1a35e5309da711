import { barChart, growthChart } from "./charts.mjs";

/** The servers of the first picture, by their rows in the table, and what they check. */
const SERVERS = [
  ["bare `node:http` | content by name", "bare node:http", "no checks"],
  ["appvars | content by name", "appvars", "signature, rate limit"],
  ["Fastify, @fastify/rate-limit | content by name", "Fastify", "signature, rate limit"],
  ["etcd | `/v3/kv/range` by key, JSON", "etcd, JSON gateway", "no checks"],
  [
    "Express 4, hmac-auth-express, express-rate-limit | content by name",
    "Express 4",
    "signature, rate limit",
  ],
  ["json-server, no signature, no rate limit | content by name", "json-server", "no checks"],
];

/**
 * The pictures of docs/performance.md, from its tables.
 *
 * @param {string} document
 * @returns {Record<string, string>} SVG by the name of its file
 */
export function picturesOf(document) {
  return {
    "performance-cpu.svg": cpuPicture(document),
    "performance-growth.svg": growthPicture(document),
  };
}

function cpuPicture(document) {
  const [header, ...rows] = tableOf(document, "Throughput");
  const column = header.indexOf("CPU time per request, µs");
  const bars = SERVERS.map(([key, name, detail]) => {
    const row = rows.find(([server, request]) => `${server} | ${request}` === key);
    if (row === undefined) throw new Error(`no row "${key}" below "Throughput"`);
    return { name, detail, value: numberOf(row[column]), isOwn: name === "appvars" };
  });
  return barChart({
    title: "CPU time per request",
    note: "Microseconds of the server's CPU time to read one value; less is better",
    bars,
  });
}

function growthPicture(document) {
  const [header, ...rows] = tableOf(document, "Growth");
  const columns = [...header.keys()].filter((column) => /^[\d,]+, ms$/.test(header[column]));
  const lines = rows.map((row) => {
    const name = row[0].split(",")[0].replaceAll("`", "");
    return {
      name,
      values: columns.map((column) => numberOf(row[column])),
      isOwn: name !== "JSON.parse",
    };
  });
  return growthChart({
    title: "Growth with the number of variables",
    note: "CPU time of the whole process in milliseconds; both scales are logarithmic",
    unit: "ms",
    positions: columns.map((column) => numberOf(header[column].replace(", ms", ""))),
    lines,
  });
}

/** The cells of the table below a heading. */
function tableOf(document, heading) {
  const [section = ""] = document.split(`\n## ${heading}\n`)[1]?.split("\n#") ?? [];
  const [header, , ...rows] = section.split("\n").filter((line) => line.startsWith("|"));
  if (rows.length === 0) throw new Error(`no table below "${heading}"`);
  return [header, ...rows].map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function numberOf(text) {
  const number = Number(text.replaceAll(",", ""));
  if (!(number > 0)) throw new Error(`not a figure: "${text}"`);
  return number;
}
