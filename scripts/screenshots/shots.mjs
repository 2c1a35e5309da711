import { breakData, changeData } from "./scenes.mjs";

export const README = "tui";
const LOADED = /variables · /;
const WIDE = { columns: 120, rows: 30 };
const LOW = { columns: 80, rows: 24 };
const SMALL = { columns: 60, rows: 15 };
const LARGE = { columns: 200, rows: 60 };

const down = (count) => Array(count).fill("j");
const start = (...keys) => ({ until: LOADED, keys });

/**
 * Each step waits until the screen is like `until`, and then presses keys by their names in tmux, types text or does
 * something else. The picture is taken when the screen is like the last `until`.
 */
export const SHOTS = [
  {
    name: README,
    ...WIDE,
    args: "--theme dark",
    title: "appvars tui --data vars.json",
    steps: [
      { until: LOADED, act: changeData },
      { until: /~ PORT/, keys: down(6) },
      { until: /What is switched/ },
      // The keys are at the bottom again when it has told of the changes for long enough.
      { until: /q quit/, keys: ["v"] },
      { until: /"checkout_v2": / },
    ],
  },
  ...[SMALL, LOW, WIDE, LARGE].map((size) => ({ name: `main-${size.columns}`, ...size, steps: [start()] })),
  {
    name: "main-light",
    ...WIDE,
    background: "light",
    args: "--theme light",
    steps: [start("V"), { until: /postgres/ }],
  },
  { name: "main-dark", ...WIDE, args: "--theme dark", steps: [start("V"), { until: /postgres/ }] },
  { name: "auto-on-light", ...WIDE, background: "light", steps: [start("V"), { until: /postgres/ }] },
  { name: "auto-on-dark", ...WIDE, steps: [start("V"), { until: /postgres/ }] },
  ...["dark", "light", "auto"].map((theme) => ({
    name: `256-${theme}`,
    ...WIDE,
    background: theme === "light" ? "light" : "dark",
    args: `--theme ${theme}`,
    env: { FORCE_COLOR: "2" },
    steps: [start("V"), { until: /postgres/ }],
  })),
  {
    name: "no-color",
    ...WIDE,
    env: { FORCE_COLOR: undefined, NO_COLOR: "1" },
    steps: [start("v"), { until: /postgres/ }],
  },
  ...[SMALL, LOW, WIDE].map((size) => ({
    name: `help-${size.columns}`,
    ...size,
    steps: [start("?"), { until: /Help/ }],
  })),
  { name: "filter", ...WIDE, steps: [start("/"), { until: /Esc cancel/, type: "pay" }, { until: /\d of 23/ }] },
  { name: "filter-60", ...SMALL, steps: [start("/"), { until: /Esc/, type: "pay" }, { until: /PAYMENT/ }] },
  {
    name: "filter-kept",
    ...LOW,
    steps: [start("/"), { until: /Esc/, type: "url" }, { until: /\d of 23/, keys: ["Enter"] }, { until: /help/ }],
  },
  { name: "type-sort", ...WIDE, steps: [start("t", "s"), { until: /by name/ }] },
  {
    name: "record",
    ...LOW,
    steps: [
      start(...down(6)),
      { until: /switched/, keys: ["v", "Tab"] },
      { until: /checkout/, keys: ["C-d"] },
      { until: /cutoff/ },
    ],
  },
  {
    name: "record-60",
    ...SMALL,
    steps: [start(...down(6)), { until: /FEATURE/, keys: ["v", "Enter"] }, { until: /▶ FEATURE/ }],
  },
  { name: "all-revealed", ...WIDE, steps: [start("V"), { until: /redis/ }] },
  { name: "all-revealed-60", ...SMALL, steps: [start("V"), { until: /values shown/ }] },
  { name: "places", ...WIDE, steps: [start("BTab", "j"), { until: /› {2}staging/ }] },
  { name: "places-60", ...SMALL, steps: [start("BTab", "j"), { until: /staging/ }] },
  { name: "pick", ...WIDE, steps: [start("d"), { until: /Compare/ }] },
  { name: "pick-60", ...SMALL, steps: [start("d"), { until: /Compare/ }] },
  ...[LOW, WIDE].map((size) => ({
    name: `diff-${size.columns}`,
    ...size,
    steps: [start("d"), { until: /Compare/, keys: ["j", "Enter"] }, { until: /differs/ }],
  })),
  {
    name: "diff-shown",
    ...WIDE,
    steps: [
      start("d"),
      { until: /Compare/, keys: ["j", "Enter"] },
      { until: /differs/, keys: ["V"] },
      { until: /postgres/ },
    ],
  },
  {
    name: "add",
    ...WIDE,
    steps: [
      start("a"),
      { until: /Add to/, type: "PORT" },
      { until: /PORT/, keys: ["Tab", "Right", "Tab"] },
      { until: /NUMBER/, type: "abc" },
      { until: /abc/, keys: ["C-s"] },
      { until: /✗/ },
    ],
  },
  { name: "edit", ...WIDE, steps: [start(...down(6)), { until: /switched/, keys: ["e"] }, { until: /Edit in/ }] },
  {
    name: "edit-60",
    ...SMALL,
    steps: [
      start("j"),
      { until: /POOL/, keys: ["e"] },
      { until: /Edit in/, type: "x" },
      { until: /10x/, keys: ["C-s"] },
      { until: /✗/ },
    ],
  },
  {
    name: "confirm-edit",
    ...WIDE,
    steps: [
      start("j"),
      { until: /POOL/, keys: ["e"] },
      { until: /Edit in/, type: "0" },
      { until: /100/, keys: ["C-s"] },
      { until: /change DATA/ },
    ],
  },
  { name: "confirm-delete", ...LOW, steps: [start("j", "x"), { until: /delete DATA/ }] },
  {
    name: "notice",
    ...WIDE,
    steps: [
      start("j"),
      { until: /POOL/, keys: ["e"] },
      { until: /Edit in/, type: "0" },
      { until: /100/, keys: ["C-s"] },
      { until: /change DATA/, keys: ["y"] },
      { until: /u undoes/ },
    ],
  },
  {
    name: "command",
    ...WIDE,
    steps: [start(":"), { until: /:/, type: "re" }, { until: /re /, keys: ["Tab"] }, { until: /reveal-all/ }],
  },
  {
    name: "command-60",
    ...SMALL,
    steps: [start(":"), { until: /run/, type: "delete PORT" }, { until: /PORT/, keys: ["Enter"] }, { until: /follow/ }],
  },
  { name: "loading", ...WIDE, scene: "silent", steps: [{ until: /reading/ }] },
  { name: "loading-sandbox", ...LOW, scene: "slow", steps: [{ until: /reading/ }] },
  { name: "unreachable", ...WIDE, scene: "unreachable", steps: [{ until: /trying again in/ }] },
  { name: "unreachable-60", ...SMALL, scene: "unreachable", steps: [{ until: /trying again in/ }] },
  { name: "unauthorized", ...WIDE, scene: "refused", steps: [{ until: /refused/ }] },
  { name: "rate-limited", ...WIDE, scene: "spent", steps: [{ until: /rate limit/ }] },
  { name: "remote", ...WIDE, scene: "remote", steps: [start()] },
  { name: "remote-60", ...SMALL, scene: "remote", steps: [start()] },
  {
    name: "rate-low",
    ...WIDE,
    scene: "limited",
    steps: [start("r"), { until: /limit 0/, keys: ["r"] }, { until: /rate limit reached/ }],
  },
  {
    name: "stale",
    ...WIDE,
    scene: "remote",
    steps: [
      { until: LOADED, act: (terminal) => terminal.stopServer() },
      { until: LOADED, keys: ["r"] },
      { until: /trying again/ },
    ],
  },
  {
    name: "stale-60",
    ...SMALL,
    scene: "remote",
    steps: [
      { until: LOADED, act: (terminal) => terminal.stopServer() },
      { until: LOADED, keys: ["r"] },
      { until: /trying again/ },
    ],
  },
  { name: "problem", ...WIDE, steps: [{ until: LOADED, act: breakData }, { until: / ! / }] },
  { name: "broken", ...WIDE, scene: "broken", steps: [{ until: /✗/ }] },
  { name: "changed", ...WIDE, steps: [{ until: LOADED, act: changeData }, { until: /~ PORT/ }] },
  { name: "empty", ...WIDE, scene: "empty", steps: [{ until: /no variables/ }] },
  { name: "nothing-matches", ...WIDE, steps: [start("/"), { until: /Esc/, type: "zzz" }, { until: /nothing/ }] },
  ...[SMALL, LOW, WIDE].map((size) => ({
    name: `odd-${size.columns}`,
    ...size,
    scene: "odd",
    steps: [start("V"), { until: /0123/ }],
  })),
  {
    name: "long-notice",
    ...LOW,
    steps: [
      start(":"),
      { until: /run/, type: "open somewhere-that-there-is-not-and-never-was" },
      { until: /never/, keys: ["Enter"] },
      { until: /no place/ },
    ],
  },
  { name: "too-small", columns: 50, rows: 10, steps: [{ until: /too small/ }] },
];
