import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type {
  OpenApiDocument,
  OperationObject,
} from '../../../lambdas/api/specification/openapi.ts';
import type { Answer } from './answer.ts';

export interface Exchange {
  readonly method: string;
  /** Behind the base address, with its query. */
  readonly path: string;
  readonly body: unknown;
  readonly answer: Answer;
}

/** Each lists what contradicts the document; nothing when all is as told. */
export interface Judge {
  exchange(exchange: Exchange): readonly string[];
  /** @param body of the completion webhook */
  delivery(body: unknown): readonly string[];
}

const read = new Map<string, Promise<Judge>>();

/** By the document that this very deployment publishes, read once. */
export function judgeOfDeployment(baseUrl: string): Promise<Judge> {
  const judge = read.get(baseUrl) ?? judgeBy(baseUrl);
  read.set(baseUrl, judge);
  return judge;
}

async function judgeBy(baseUrl: string): Promise<Judge> {
  const response = await fetch(`${baseUrl}/openapi.json`);
  if (!response.ok) throw new Error(`${baseUrl}/openapi.json answers ${response.status}`);
  return judgeOf((await response.json()) as OpenApiDocument);
}

export function judgeOf(document: OpenApiDocument): Judge {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats(ajv);
  ajv.addSchema(document, 'document');
  const violations = (pointer: string, value: unknown): readonly string[] => {
    const validate = ajv.getSchema(`document#${pointer}`);
    if (validate === undefined) throw new Error(`the document has no ${pointer}`);
    return validate(value) ? [] : [ajv.errorsText(validate.errors, { dataVar: 'body' })];
  };
  return {
    exchange: (exchange) => judged(document, violations, exchange),
    delivery: (body) => violations(DELIVERY, body),
  };
}

const DELIVERY = '/webhooks/batch.completed/post/requestBody/content/application~1json/schema';

type Violations = (pointer: string, value: unknown) => readonly string[];

function judged(
  document: OpenApiDocument,
  violations: Violations,
  { method, path, body, answer }: Exchange,
): readonly string[] {
  const template = templateOf(document, path);
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  const operation = template === null ? undefined : operationOf(document, template, verb);
  if (template === null || operation === undefined) {
    return noOperation(template !== null, method, violations, answer);
  }
  const at = `/paths/${escaped(template)}/${verb}`;
  return [
    ...answerViolations(operation, violations, at, method, answer),
    ...(answer.status < 300 ? requestViolations(operation, violations, at, path, body) : []),
  ];
}

function answerViolations(
  operation: OperationObject,
  violations: Violations,
  at: string,
  method: string,
  { status, headers, json }: Answer,
): readonly string[] {
  const documented = operation.responses[String(status)];
  if (documented === undefined) return [`the status ${status} is not documented`];
  const missing = Object.entries(documented.headers ?? {})
    .filter(([name, { required }]) => required === true && !headers.has(name))
    .map(([name]) => `the header ${name} is missing`);
  if (documented.content === undefined || method === 'HEAD') return missing;
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  if (documented.content[type] === undefined) return [`the content type ${type} is not documented`];
  if (!type.endsWith('json')) return missing;
  const schema = `${at}/responses/${status}/content/${escaped(type)}/schema`;
  return [...missing, ...violations(schema, json)];
}

/** What was accepted must be what the document allows. */
function requestViolations(
  operation: OperationObject,
  violations: Violations,
  at: string,
  path: string,
  body: unknown,
): readonly string[] {
  const query = operation.parameters.filter((parameter) => parameter.in === 'query');
  const unknown = [...new URL(path, 'http://any').searchParams.keys()]
    .filter((name) => !query.some((parameter) => parameter.name === name))
    .map((name) => `the query parameter ${name} is not documented`);
  if (operation.requestBody === undefined || body === undefined) return unknown;
  return [...unknown, ...violations(`${at}/requestBody/content/application~1json/schema`, body)];
}

/** An address or method that is not in the document says so itself; V1 may ask for the key first. */
function noOperation(
  hasPath: boolean,
  method: string,
  violations: Violations,
  { status, json }: Answer,
): readonly string[] {
  if (hasPath && method === 'OPTIONS') return status === 204 ? [] : [`OPTIONS gives ${status}`];
  const allowed = hasPath ? [405] : [404, 401];
  if (!allowed.includes(status)) return [`what is not documented is answered with ${status}`];
  return method === 'HEAD' ? [] : violations('/components/schemas/Problem', json);
}

function operationOf(
  document: OpenApiDocument,
  template: string,
  verb: string,
): OperationObject | undefined {
  return Object.entries(document.paths[template] ?? {}).find(([method]) => method === verb)?.[1];
}

function templateOf(document: OpenApiDocument, path: string): string | null {
  const sent = segmentsOf(path.replace(/\?.*$/s, ''));
  const fits = (template: string) => {
    const parts = segmentsOf(template);
    return (
      parts.length === sent.length &&
      parts.every((part, index) => part === sent[index] || part.startsWith('{'))
    );
  };
  return Object.keys(document.paths).find(fits) ?? null;
}

function segmentsOf(path: string): readonly string[] {
  return path.replace(/^\/|\/$/g, '').split('/');
}

/** A step of a JSON pointer in a URI's fragment (RFC 6901, section 6). */
function escaped(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
}
