import type {
  OpenApiDocument,
  OperationObject,
  Schema,
} from '../../../../lambdas/api/specification/openapi.ts';
import { type Direction, schemaChanges } from './schema-changes.ts';

/**
 * What a client of the document `before` would notice in `after`: an operation, parameter or field that
 * is gone, a request that is no longer allowed, a response that was not possible before, a type that
 * generated clients no longer have. Additions are not listed: operations, optional parameters and
 * fields of requests, fields and enum values of responses, problems.
 *
 * @param renamed schemas by their name in `before`
 */
export function breakingChanges(
  before: OpenApiDocument,
  after: OpenApiDocument,
  renamed: Readonly<Record<string, string>> = {},
): readonly string[] {
  const changes = new Set<string>();
  const report = (change: string) => changes.add(change);
  const compare = (direction: Direction, at: string, schema: Schema, now: Schema) => {
    const [old, located] = [
      { document: before, schema },
      { document: after, schema: now },
    ];
    for (const change of schemaChanges(direction, at, old, located)) report(change);
  };

  for (const name of Object.keys(before.components.schemas)) {
    const now = renamed[name] ?? name;
    if (after.components.schemas[now] === undefined) report(`the schema ${name} is gone`);
  }
  for (const [label, operation, now] of operationsOf(before, after)) {
    if (now === undefined) report(`${label} is gone`);
    else compareOperations(label, operation, now);
  }
  return [...changes].sort();

  function compareOperations(label: string, old: OperationObject, now: OperationObject): void {
    const webhook = label.startsWith('webhook');
    if (old.operationId !== now.operationId) report(`${label}: operationId changed`);
    compareParameters(label, old, now, webhook);
    const body = bodyOf(old);
    const nowBody = bodyOf(now);
    if (body !== undefined && nowBody === undefined) report(`${label}: no JSON body`);
    if (old.requestBody?.required !== true && now.requestBody?.required === true) {
      report(`${label}: requires a body`);
    }
    if (body !== undefined && nowBody !== undefined) {
      compare(webhook ? 'received' : 'sent', `${label} body`, body, nowBody);
    }
    if (!webhook) compareResponses(label, old, now);
  }

  function compareParameters(
    label: string,
    old: OperationObject,
    now: OperationObject,
    webhook: boolean,
  ): void {
    const direction = webhook ? 'received' : 'sent';
    for (const parameter of old.parameters) {
      const at = `${label} ${parameter.in} ${parameter.name}`;
      const same = now.parameters.find((one) => keyOf(one) === keyOf(parameter));
      if (same === undefined) report(`${at}: gone`);
      else compare(direction, at, parameter.schema, same.schema);
    }
    const optional = old.parameters.filter(({ required }) => required !== true).map(keyOf);
    const known = old.parameters.map(keyOf);
    for (const parameter of now.parameters) {
      const key = keyOf(parameter);
      const isNew = !known.includes(key) || optional.includes(key);
      if (parameter.required === true && isNew) report(`${label} ${key}: required now`);
    }
  }

  function compareResponses(label: string, old: OperationObject, now: OperationObject): void {
    for (const [status, response] of Object.entries(old.responses)) {
      const same = now.responses[status];
      const at = `${label} ${status}`;
      // A problem may cease; every client handles other statuses anyway.
      if (same === undefined) {
        if (Number(status) < 400) report(`${at}: gone`);
        continue;
      }
      for (const [name, header] of Object.entries(response.headers ?? {})) {
        const nowHeader = same.headers?.[name];
        if (nowHeader === undefined) report(`${at} header ${name}: gone`);
        else compare('received', `${at} header ${name}`, header.schema, nowHeader.schema);
      }
      for (const [type, content] of Object.entries(response.content ?? {})) {
        const nowContent = same.content?.[type];
        // Version 0.2.0 narrowed the problems of each response, by `allOf`.
        const schema = type === 'application/problem+json' ? PROBLEM : content.schema;
        if (nowContent === undefined) report(`${at} ${type}: gone`);
        else compare('received', `${at} ${type}`, schema, nowContent.schema);
      }
    }
  }
}

const PROBLEM: Schema = { $ref: '#/components/schemas/Problem' };

function operationsOf(
  before: OpenApiDocument,
  after: OpenApiDocument,
): readonly (readonly [string, OperationObject, OperationObject | undefined])[] {
  const paths = Object.entries(before.paths).flatMap(([path, item]) =>
    (['get', 'post'] as const).map(
      (method) =>
        [`${method.toUpperCase()} ${path}`, item[method], after.paths[path]?.[method]] as const,
    ),
  );
  const webhooks = Object.entries(before.webhooks).map(
    ([name, { post }]) => [`webhook ${name}`, post, after.webhooks[name]?.post] as const,
  );
  return [...paths, ...webhooks].flatMap(([label, old, now]) =>
    old === undefined ? [] : [[label, old, now] as const],
  );
}

function bodyOf(operation: OperationObject): Schema | undefined {
  return operation.requestBody?.content['application/json']?.schema;
}

function keyOf({ in: location, name }: { readonly in: string; readonly name: string }): string {
  return `${location} ${name}`;
}
