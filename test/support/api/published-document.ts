import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type {
  OpenApiDocument,
  OperationObject,
  Response,
} from '../../../lambdas/api/specification/openapi.ts';
import type { HttpResponse } from './http-response.ts';

export interface Exchange {
  readonly method: string;
  /** The path after the base URL, including the query. */
  readonly path: string;
  readonly body: unknown;
  readonly response: HttpResponse;
}

/** Each check returns violations, or an empty array if everything is as documented. */
export interface Contract {
  checkExchange(exchange: Exchange): readonly string[];
  /** @param body the completion webhook's body */
  checkDelivery(body: unknown): readonly string[];
}

const contracts = new Map<string, Promise<Contract>>();

export function obtainContract(baseUrl: string): Promise<Contract> {
  const contract = contracts.get(baseUrl) ?? fetchContract(baseUrl);
  contracts.set(baseUrl, contract);
  return contract;
}

async function fetchContract(baseUrl: string): Promise<Contract> {
  const response = await fetch(`${baseUrl}/openapi.json`);
  if (!response.ok) throw new Error(`${baseUrl}/openapi.json: ${response.status}`);
  return createContract((await response.json()) as OpenApiDocument);
}

export function createContract(document: OpenApiDocument): Contract {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats(ajv);
  ajv.addSchema(document, 'document');
  const violations: Violations = (pointer, value, ignored) => {
    const validate = ajv.getSchema(`document#${pointer}`);
    if (validate === undefined) throw new Error(`the document has no ${pointer}`);
    if (validate(value)) return [];
    const errors = validate.errors?.filter(({ instancePath }) => !ignored?.test(instancePath));
    return errors?.length === 0 ? [] : [ajv.errorsText(errors, { dataVar: 'body' })];
  };
  return {
    checkExchange: (exchange) => findExchangeViolations(document, violations, exchange),
    checkDelivery: (body) => violations(DELIVERY, body),
  };
}

const DELIVERY = '/webhooks/batch.completed/post/requestBody/content/application~1json/schema';

type Violations = (pointer: string, value: unknown, ignored?: RegExp) => readonly string[];

/** A geometry that the document forbids is accepted, because it fails its job rather than the request. */
const GEOMETRY = /^\/jobs\/\d+\/polygon(\/|$)/;

function findExchangeViolations(
  document: OpenApiDocument,
  violations: Violations,
  { method, path, body, response }: Exchange,
): readonly string[] {
  const template = findTemplate(document, path);
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  const operation = template === null ? undefined : findOperation(document, template, verb);
  if (template === null || operation === undefined) {
    return findUndocumentedViolations(template !== null, method, violations, response);
  }
  const at = `/paths/${escapeToken(template)}/${verb}`;
  return [
    ...findResponseViolations(operation, violations, at, method, response),
    ...(response.status < 300 ? findRequestViolations(operation, violations, at, path, body) : []),
  ];
}

function findResponseViolations(
  operation: OperationObject,
  violations: Violations,
  at: string,
  method: string,
  { status, headers, json }: HttpResponse,
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
  const schema = `${at}/responses/${status}/content/${escapeToken(type)}/schema`;
  return [
    ...missing,
    ...violations(schema, json),
    ...(status < 400 ? [] : findProblemViolations(documented, status, json)),
  ];
}

/** The description of a response lists its problems, whose schema is the same everywhere. */
function findProblemViolations(
  { description }: Response,
  status: number,
  json: unknown,
): readonly string[] {
  const problem = Object(json) as { readonly type?: unknown; readonly status?: unknown };
  const slug = String(problem.type).replace(/^.*\/docs\/problems\//, '');
  return [
    ...(description.includes(`\`${slug}\``) ? [] : [`${status} does not list the problem ${slug}`]),
    ...(problem.status === status ? [] : [`the body has the status ${problem.status}`]),
  ];
}

/** An accepted request must be one that the document allows. */
function findRequestViolations(
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
  const schema = `${at}/requestBody/content/application~1json/schema`;
  return [...unknown, ...violations(schema, body, GEOMETRY)];
}

/** An undocumented path gets 404 (V1 may first require the key), and an undocumented method gets 405. */
function findUndocumentedViolations(
  hasPath: boolean,
  method: string,
  violations: Violations,
  { status, json }: HttpResponse,
): readonly string[] {
  if (hasPath && method === 'OPTIONS') return status === 204 ? [] : [`OPTIONS returned ${status}`];
  const allowed = hasPath ? [405] : [404, 401];
  if (!allowed.includes(status)) return [`an undocumented operation gets ${status}`];
  return method === 'HEAD' ? [] : violations('/components/schemas/Problem', json);
}

function findOperation(
  document: OpenApiDocument,
  template: string,
  verb: string,
): OperationObject | undefined {
  return Object.entries(document.paths[template] ?? {}).find(([method]) => method === verb)?.[1];
}

function findTemplate(document: OpenApiDocument, path: string): string | null {
  const sent = splitPath(path.replace(/\?.*$/s, ''));
  const doesFit = (template: string) => {
    const parts = splitPath(template);
    return (
      parts.length === sent.length &&
      parts.every((part, index) => part === sent[index] || part.startsWith('{'))
    );
  };
  return Object.keys(document.paths).find(doesFit) ?? null;
}

function splitPath(path: string): readonly string[] {
  return path.replace(/^\/|\/$/g, '').split('/');
}

/** Escapes a reference token of a JSON pointer in a URI fragment (RFC 6901, section 6). */
function escapeToken(token: string): string {
  return encodeURIComponent(token.replaceAll('~', '~0').replaceAll('/', '~1'));
}
