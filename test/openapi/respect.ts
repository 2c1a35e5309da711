import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../support/temporary-folder.js";
import { type DescribedResponse, type Document, describedResponse } from "./described-response.js";
import { redocly } from "./redocly.js";

export interface Parameter {
  in: "path" | "query" | "header";
  name: string;
  value: string | number;
}

/** One request and its expected status. */
export interface Step {
  /** Key of the server. */
  server: string;
  operationId: string;
  parameters: Parameter[];
  status: number;
}

/** The outcome of one step. */
export interface StepResult {
  step: Step;
  /** The names of the received headers, in lower case. */
  headers: string[];
  /** The checker's complaints. */
  failures: string[];
}

/** The part of Redocly's report that is used here. */
interface Report {
  files: Record<string, { executedWorkflows: { workflowId: string; executedSteps: ReportedStep[] }[] }>;
}

interface ReportedStep {
  response?: { headers: Record<string, string> };
  checks: { name: string; passed: boolean; message?: string }[];
}

/**
 * Sends the requests with Redocly's `respect`, which checks that the document describes each answer's status, media
 * type and body. Required headers are passed as success criteria.
 *
 * @param servers URL by key
 */
export async function respect(
  document: Document,
  servers: Record<string, string>,
  steps: readonly Step[],
): Promise<StepResult[]> {
  const folder = await temporaryFolder();
  const path = (name: string) => join(folder, name);
  for (const [server, url] of Object.entries(servers)) {
    await writeFile(path(`${server}.json`), JSON.stringify({ ...document, servers: [{ url }] }));
  }
  await writeFile(path("test.arazzo.json"), JSON.stringify(workflows(document, Object.keys(servers), steps)));
  const { stderr } = await redocly("respect", path("test.arazzo.json"), "--json-output", path("report.json"));
  const report = await readFile(path("report.json"), "utf8").catch(() => {
    throw new Error(`the checker has not reported: ${stderr}`);
  });
  return results(steps, JSON.parse(report));
}

/** An Arazzo description; a workflow for each step, so that a failure does not stop the others. */
function workflows(document: Document, servers: string[], steps: readonly Step[]): object {
  return {
    arazzo: "1.0.1",
    info: { title: "contract", version: "1" },
    sourceDescriptions: servers.map((name) => ({ name, type: "openapi", url: `${name}.json` })),
    workflows: steps.map(({ server, operationId, parameters, status }, index) => ({
      workflowId: `step-${index}`,
      steps: [
        {
          stepId: `step-${index}`,
          operationId: `$sourceDescriptions.${server}.${operationId}`,
          parameters,
          successCriteria: [
            { condition: `$statusCode == ${status}` },
            ...headerCriteria(describedResponse(document, operationId, status)),
          ],
        },
      ],
    })),
  };
}

function headerCriteria({ headers }: DescribedResponse): object[] {
  return Object.entries(headers)
    .filter(([, { required }]) => required)
    .map(([name, { schema }]) => ({
      context: `$response.header.${name}`,
      type: "regex",
      condition: schema.pattern ?? (schema.minimum === undefined ? `^${schema.const}$` : wholeNumber(schema.minimum)),
    }));
}

function wholeNumber(minimum: number): string {
  return minimum === 0 ? String.raw`^\d+$` : String.raw`^[1-9]\d*$`;
}

function results(steps: readonly Step[], { files }: Report): StepResult[] {
  const workflows = Object.values(files).flatMap((file) => file.executedWorkflows);
  const byId = new Map(workflows.map(({ workflowId, executedSteps }) => [workflowId, executedSteps[0]]));
  return steps.map((step, index) => {
    const reported = byId.get(`step-${index}`);
    const checks = reported?.checks ?? [{ name: "no report", passed: false }];
    const failures = checks.filter(({ passed }) => !passed).map(({ name, message = "" }) => `${name}: ${message}`);
    return { step, headers: Object.keys(reported?.response?.headers ?? {}), failures };
  });
}
