import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { parseStoreUrl } from "../../src/model/store-address.js";
import { runCli } from "../support/cli.js";
import { REPOSITORY } from "./documents.js";

// biome-ignore lint/suspicious/noExplicitAny: the files have no types
type Yaml = any;

const read = (path: string) => readFile(join(REPOSITORY, path), "utf8");

async function readCompose(): Promise<Yaml> {
  return parse(await read("docs/deploy/compose.yaml"), { merge: true });
}

async function readKubernetes(): Promise<Yaml[]> {
  const documents = parseAllDocuments(await read("docs/deploy/kubernetes.yaml"), {
    version: "1.1",
  });
  return documents.flatMap((document) => {
    expect(document.errors).toEqual([]);
    return [document.toJS()];
  });
}

/** Checks a command line of `serve` and its variables. */
async function checkServe(
  [command, ...args]: string[],
  variables: Record<string, string | undefined>,
): Promise<void> {
  expect(command).toBe("serve");
  const { stdout } = await runCli(["serve", "--help"]);
  for (const flag of args.filter((arg) => arg.startsWith("--")))
    expect(stdout).toContain(`${flag} <`);
  const settings = await read("docs/settings.md");
  for (const name of Object.keys(variables)) expect(settings).toContain(`\`${name}\``);
  expect(parseStoreUrl(variables["APPVARS_STORE"] ?? "", "the URL").endpoints).toHaveLength(3);
}

describe("docs/deploy/compose.yaml", () => {
  it("runs three members of etcd and three replicas, with networks, secrets and volumes that it defines", async () => {
    const { services, ...defined } = await readCompose();
    expect(Object.keys(services)).toEqual(
      expect.arrayContaining(["etcd-1", "etcd-2", "etcd-3", "replica-1", "replica-2", "replica-3"]),
    );
    for (const {
      networks,
      volumes = [],
      secrets = [],
      depends_on: needed = {},
    } of Object.values<Yaml>(services)) {
      expect(Object.keys(defined["networks"])).toEqual(expect.arrayContaining(networks));
      expect(Object.keys(defined["secrets"])).toEqual(expect.arrayContaining(secrets));
      expect(Object.keys(services)).toEqual(expect.arrayContaining(Object.keys(needed)));
      const names = volumes.map((volume: string) => volume.split(":")[0]);
      expect(Object.keys(defined["volumes"])).toEqual(expect.arrayContaining(names));
    }
  });

  it("has members that name each other", async () => {
    const { services } = await readCompose();
    for (const name of ["etcd-1", "etcd-2", "etcd-3"]) {
      const {
        ETCD_NAME,
        ETCD_INITIAL_CLUSTER,
        ETCD_INITIAL_ADVERTISE_PEER_URLS: peers,
      } = services[name].environment;
      expect(ETCD_NAME).toBe(name);
      expect(ETCD_INITIAL_CLUSTER.split(",")).toContain(`${name}=${peers}`);
    }
  });

  it("starts serve with flags and variables that it has", async () => {
    const { services } = await readCompose();
    const { command, environment } = services["replica-1"];
    await checkServe(command, environment);
  });
});

describe("docs/deploy/kubernetes.yaml", () => {
  it("has a service and a disruption budget for the pods of the deployment", async () => {
    const [deployment, service, budget] = await readKubernetes();
    const { labels } = deployment.spec.template.metadata;
    expect([deployment, service, budget].map(({ kind }) => kind)).toEqual([
      "Deployment",
      "Service",
      "PodDisruptionBudget",
    ]);
    expect(deployment.spec).toMatchObject({ replicas: 3, selector: { matchLabels: labels } });
    expect(service.spec.selector).toEqual(labels);
    expect(budget.spec.selector.matchLabels).toEqual(labels);
  });

  it("starts serve with flags and variables that exist, and mounts the files they name", async () => {
    const [deployment] = await readKubernetes();
    const { containers, volumes } = deployment.spec.template.spec;
    const [{ args, env, volumeMounts }] = containers;
    await checkServe(args, Object.fromEntries(env.map(({ name, value }: Yaml) => [name, value])));
    expect(volumeMounts.map(({ name }: Yaml) => name)).toEqual(
      volumes.map(({ name }: Yaml) => name),
    );
  });

  it("runs as the user of the image, with no more capabilities than there", async () => {
    const [deployment] = await readKubernetes();
    const { securityContext: pod, containers } = deployment.spec.template.spec;
    const user = /^USER (\d+):(\d+)$/m
      .exec(await read("Containerfile"))
      ?.slice(1)
      .map(Number);
    expect([pod.runAsUser, pod.runAsGroup]).toEqual(user);
    expect(containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
  });
});
