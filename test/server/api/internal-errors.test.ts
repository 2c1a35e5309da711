import { describe, expect, it, vi } from "vitest";
import { get } from "../../support/http.js";
import { stubbedServer } from "../../support/stubbed-server.js";

const FAILURE = Object.assign(new Error("dev-secret at postgres://db"), {
  status: 418,
  code: "EDB",
});

const fail = () => {
  throw FAILURE;
};

describe("an internal error is logged and not sent to the caller:", () => {
  it("a read that fails is logged and not sent to the caller", async () => {
    const onInternalError = vi.fn();
    const server = await stubbedServer({
      reads: { variables: fail },
      options: { onInternalError },
    });
    const { status, json, headers, body } = await get(server, "/v1/variables");
    expect({ status, json }).toStrictEqual({
      status: 500,
      json: { message: "Internal server error" },
    });
    expect(headers).toMatchObject({ "cache-control": "no-store", "ratelimit-remaining": "7499" });
    expect(JSON.stringify(headers) + body).not.toContain("postgres");
    expect(onInternalError.mock.calls).toEqual([[FAILURE]]);
  });

  it("the server continues after an internal error without a log", async () => {
    const server = await stubbedServer({ reads: { variables: fail } });
    expect(await get(server, "/v1/variables")).toMatchObject({ status: 500 });
    expect(await get(server, "/v1/variables/1")).toMatchObject({ status: 200 });
  });

  it("an internal error of /healthz is logged and not sent to the caller", async () => {
    const onInternalError = vi.fn();
    const clock = vi.fn(() => 0);
    const server = await stubbedServer({ clock, options: { onInternalError } });
    clock.mockImplementation(fail);
    const { status, json } = await get(server, "/healthz", {});
    expect({ status, json }).toStrictEqual({
      status: 500,
      json: { message: "Internal server error" },
    });
    expect(onInternalError.mock.calls).toEqual([[FAILURE]]);
  });

  it("errors of the caller are not logged", async () => {
    const onInternalError = vi.fn();
    const server = await stubbedServer({ options: { onInternalError } });
    for (const target of ["/v1/variables?limit=0", "/v1/variables/999", "/v1/nothing", "/%"]) {
      await get(server, target);
    }
    expect(onInternalError).not.toHaveBeenCalled();
  });
});
