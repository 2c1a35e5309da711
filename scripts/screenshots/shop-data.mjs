/** The data of a made-up shop, for pictures. Nothing in it is anybody's. */
const ENVIRONMENTS = ["development", "staging", "production"];

const FLAGS = {
  checkout_v2: true,
  express_delivery: { countries: ["DE", "FR", "NL"], cutoff_hour: 15 },
  recommendations: { engine: "trending", limit: 12, rollout: 0.25 },
  themes: ["light", "dark"],
  gift_wrap: null,
};

const host = (name) => (name === "development" ? "localhost" : `${name}.shop.example`);

/** Type, name, description, and the value in an environment; undefined where it has none there. */
const VARIABLES = [
  ["STRING", "DATABASE_URL", "Primary database", (env) => `postgres://shop@db.${host(env)}/shop`],
  ["NUMBER", "DATABASE_POOL_SIZE", "Connections that one process may open", (env) => (env === "production" ? 40 : 10)],
  ["STRING", "CACHE_URL", "Sessions and carts", (env) => `redis://cache.${host(env)}:6379/0`],
  ["NUMBER", "PORT", "Where the shop listens", () => 3000],
  ["BOOLEAN", "DEBUG", "Log every step", (env) => env === "development"],
  ["STRING", "LOG_LEVEL", "trace, debug, info, warn or error", (env) => (env === "production" ? "warn" : "debug")],
  [
    "JSON",
    "FEATURE_FLAGS",
    "What is switched on, and for whom",
    (env) => ({ ...FLAGS, checkout_v2: env !== "production" }),
  ],
  ["STRING", "PAYMENT_API_KEY", "Key of the payment provider", (env) => `pk-${env}-example-4f9a27`],
  ["STRING", "PAYMENT_WEBHOOK_SECRET", "Signs what the payment provider tells us", (env) => `whsec-${env}-example`],
  ["NUMBER", "PAYMENT_TIMEOUT_MS", "How long a payment may take", () => 8000],
  ["STRING", "SEARCH_URL", "Index of products", (env) => `https://search.${host(env)}/products`],
  ["NUMBER", "SEARCH_PAGE_SIZE", "Products on a page", () => 24],
  ["BOOLEAN", "SEARCH_FUZZY", "Find what is misspelt too", () => true],
  ["STRING", "SMTP_URL", "Outgoing mail", (env) => `smtp://mail.${host(env)}:587`],
  ["STRING", "MAIL_FROM", "Sender of order confirmations", () => "Shop <orders@shop.example>"],
  ["JSON", "CURRENCIES", "Accepted currencies, the first one is the default", () => ["EUR", "USD", "GBP"]],
  ["NUMBER", "VAT_RATE", "Value-added tax, 0 to 1", () => 0.19],
  ["STRING", "CDN_URL", "Where pictures are", (env) => `https://cdn.${host(env)}`],
  ["BOOLEAN", "MAINTENANCE_MODE", "Answer every page with 503", () => false],
  [
    "STRING",
    "SENTRY_DSN",
    "Where errors are reported",
    (env) => (env === "production" ? "https://key@errors.example/1" : undefined),
  ],
  [
    "JSON",
    "RATE_LIMITS",
    "Requests a minute, by kind of client",
    () => ({ anonymous: 60, customer: 240, partner: 1200 }),
  ],
  ["NUMBER", "CART_TTL_HOURS", "How long a cart is kept", () => 72],
  ["STRING", "GREETING", "First line of the start page", () => "Hello, it's your shop 👋"],
];

/** The content of a data file. */
export function shopData() {
  return dataOf(VARIABLES);
}

const LONG_NAME = "THE_NAME_OF_THIS_ONE_GOES_ON_AND_ON_AND_IS_FAR_LONGER_THAN_ANY_COLUMN_FOR_IT_COULD_BE";
const LONG_TEXT = "a sentence that goes on and on, as descriptions of settings that grew over years do, ".repeat(4);

/** What is hard to lay out: very long, very wide, empty, many lines. */
export function oddData() {
  return dataOf([
    ["STRING", LONG_NAME, LONG_TEXT.trim(), () => "0123456789abcdef".repeat(120)],
    [
      "STRING",
      "WELCOME_JA",
      "日本語の説明文はここに入ります。とても長い説明文でも正しく切り取られます。",
      () => "ようこそ、私たちの店へ。",
    ],
    ["STRING", "GREETING_KO", "한국어 설명", () => "안녕하세요 세계"],
    ["STRING", "EMOJI", "Family 👩‍👩‍👧‍👦, flag 🇫🇷, skin 👍🏽, heart ❤️", () => "👋🏽 hi 👩‍👩‍👧‍👦 🇫🇷 ❤️ done"],
    ["STRING", "EMPTY", "", () => ""],
    ["STRING", "LINES", "Has several lines", () => "first\nsecond\n\tindented\n\nlast\x1b[31m"],
    ["STRING", "ARABIC", "Right to left", () => "مرحبا بالعالم"],
    ["JSON", "DEEP", "Nested", () => ({ a: { b: { c: { d: { e: ["x".repeat(90), { f: null }] } } } } })],
    ["STRING", "UNSET", "Has no value here", () => undefined],
    ["STRING", "SEALED", "Encrypted by a client", () => "envbee:enc:v1:abcdefghijklmnopqrstuvwxyz"],
  ]);
}

/** The same shop with nothing in it. */
export function emptyData() {
  return dataOf([]);
}

function dataOf(all) {
  const environments = ENVIRONMENTS.map((name, index) => {
    return {
      id: index + 1,
      application: "shop",
      name,
      api_key: `shop-${name}`,
      api_secret: `example-secret-of-${name}`,
    };
  });
  const variables = all.map(([type, name, description], index) => {
    return { id: index + 1, application: "shop", type, name, description };
  });
  const values = environments.flatMap((environment) =>
    all.flatMap(([, , , valueIn], index) => {
      const value = valueIn(environment.name);
      const ids = { id: environment.id * 100 + index, variable_id: index + 1, environment_id: environment.id };
      return value === undefined ? [] : [{ ...ids, content: { value } }];
    }),
  );
  return { version: 1, environments, variables, values };
}
