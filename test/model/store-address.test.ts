import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/kit/text/errors.js";
import { parseStoreUrl } from "../../src/model/store-address.js";

const SECRET = "t0p-s3cr3t";

const PASSWORD_RULE =
  "must not contain a user or password: set APPVARS_STORE_USER and APPVARS_STORE_PASSWORD";
const FORM_RULE = "must be like etcd://h1:2379,h2:2379/prefix, or etcds:// for TLS";
const ENDPOINT_RULE = "has an endpoint that is not HOST:PORT";
const PREFIX_RULE =
  "has a prefix with other characters than letters, digits, '.', '_', '-' and '/'";

describe("the URL of a store", () => {
  it.each([
    ["etcd://h1", ["http://h1:2379"], "/appvars/", "etcd://h1:2379/appvars"],
    [
      "etcd://h1/logs/my-parts",
      ["http://h1:2379"],
      "/logs/my-parts/",
      "etcd://h1:2379/logs/my-parts",
    ],
    ["etcd://h1/", ["http://h1:2379"], "/appvars/", "etcd://h1:2379/appvars"],
    [
      "etcds://H1:02379/a/b-c_d.e/",
      ["https://h1:2379"],
      "/a/b-c_d.e/",
      "etcds://h1:2379/a/b-c_d.e",
    ],
    [
      "etcd://10.0.0.1:1,[::1]:65535,db-1.example.com/x",
      ["http://10.0.0.1:1", "http://[::1]:65535", "http://db-1.example.com:2379"],
      "/x/",
      "etcd://10.0.0.1:1,[::1]:65535,db-1.example.com:2379/x",
    ],
  ])("%s names endpoints and a prefix", (text, endpoints, prefix, url) => {
    expect(parseStoreUrl(text, "--store")).toEqual({ endpoints, prefix, url });
    expect(parseStoreUrl(url, "--store")).toEqual({ endpoints, prefix, url });
  });

  it.each([
    [`etcd://user:${SECRET}@h1/x`, PASSWORD_RULE],
    [`etcd://h1/x@${SECRET}`, PASSWORD_RULE],
    [`http://h1/${SECRET}`, FORM_RULE],
    [`ETCD://h1/${SECRET}`, FORM_RULE],
    [`etcd:h1/${SECRET}`, FORM_RULE],
    ["", FORM_RULE],
    ["etcd://", FORM_RULE],
    ["etcd:///x", FORM_RULE],
    [`etcd://h1/x?password=${SECRET}`, FORM_RULE],
    [`etcd://h1?${SECRET}`, FORM_RULE],
    [`etcd://h1/x#${SECRET}`, FORM_RULE],
    [`etcd://user:${SECRET}`, ENDPOINT_RULE],
    ["etcd://h1,", ENDPOINT_RULE],
    ["etcd://h1:0", ENDPOINT_RULE],
    ["etcd://h1:65536", ENDPOINT_RULE],
    ["etcd://h1:", ENDPOINT_RULE],
    ["etcd://-h1", ENDPOINT_RULE],
    ["etcd://h 1", ENDPOINT_RULE],
    ["etcd://h1\r\nX: 1", ENDPOINT_RULE],
    ["etcd://::1", ENDPOINT_RULE],
    ["etcd://[::1", ENDPOINT_RULE],
    ["etcd://[localhost]", ENDPOINT_RULE],
    ["etcd://é", ENDPOINT_RULE],
    [`etcd://h1/${SECRET}//x`, PREFIX_RULE],
    ["etcd://h1//", PREFIX_RULE],
    ["etcd://h1/a b", PREFIX_RULE],
    ["etcd://h1/%2e", PREFIX_RULE],
    ["etcd://h1/é", PREFIX_RULE],
    ["etcd://h1/a\nb", PREFIX_RULE],
  ])("%j is refused without being quoted", (text, rule) => {
    expect(() => parseStoreUrl(text, "--store")).toThrow(new UsageError(`--store ${rule}`));
  });
});
