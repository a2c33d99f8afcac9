import { openApiDocument } from '../../lambdas/api/specification/document.ts';
import project from '../../package.json' with { type: 'json' };

const CHECKED = [
  ...[
    'BatchCreated',
    'BatchRetried',
    'CopiesRequested',
    'BatchStatus',
    'BatchList',
    'BatchTotal',
    'BatchCompleted',
  ],
  ...['JobDetail', 'PatchBatch', 'ResultTable', 'Item', 'Deliveries', 'WebhookTested'],
  ...['Estimate', 'Limits', 'Usage', 'ModelList', 'Health'],
];

/** Keywords that a shape keeps. Most enumerations are dropped, because a newer service adds codes. */
const KEPT = new Set([
  ...['type', 'required', 'minItems', 'maxItems'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
]);
/**
 * Programs decide by these enumerations, so they are kept: states of batches, jobs and deliveries, and GeoJSON types.
 */
const DECISIVE = /State$|^type$/;

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly const?: string;
}

/** Generates `client/src/shapes.ts`, the shapes of V2's responses, which include V1's. */
export function generateClientShapes(): string {
  const { version } = project;
  const document = openApiDocument({ deployment: 'v2', baseUrl: 'https://soil.example', version });
  const { schemas }: { readonly schemas: Readonly<Record<string, Schema>> } = JSON.parse(
    JSON.stringify(document.components),
  );
  const shapes = new Map<string, string>();
  const toShape = ({ $ref, anyOf, items, properties, ...others }: Schema, name = ''): string => {
    if ($ref !== undefined) return addShape($ref.replace(/.*\//, ''));
    const { additionalProperties, format } = others;
    const isMap =
      typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0;
    const kept = Object.entries(others).filter(
      ([keyword, value]) =>
        KEPT.has(keyword) && Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER,
    );
    const members = [
      ...kept.map(([keyword, value]) => `${keyword}: ${JSON.stringify(value)}`),
      ...(format === 'uuid' ? [`format: 'uuid'`] : []),
      ...(DECISIVE.test(name) ? [`enum: ${JSON.stringify(others.enum ?? [others.const])}`] : []),
      ...(anyOf === undefined
        ? []
        : [`anyOf: [${anyOf.map((schema) => toShape(schema)).join(', ')}]`]),
      ...(items === undefined ? [] : [`items: ${toShape(items)}`]),
      ...(isMap ? [`additionalProperties: ${toShape(additionalProperties)}`] : []),
      ...(properties === undefined ? [] : [`properties: {${toMembers(properties)}}`]),
    ];
    return `{ ${members.join(', ')} }`;
  };
  const toMembers = (properties: Readonly<Record<string, Schema>>) =>
    Object.entries(properties)
      .map(([name, schema]) => `${JSON.stringify(name)}: ${toShape(schema, name)}`)
      .join(', ');
  const addShape = (name: string): string => {
    const schema = schemas[name];
    if (schema === undefined) throw new Error(`the OpenAPI document has no schema ${name}`);
    if (!shapes.has(name)) shapes.set(name, toShape(schema, name));
    return name;
  };
  for (const name of CHECKED) addShape(name);
  return [
    '/** Written by `npm run docs` from the OpenAPI document. */',
    "import type { Shape } from './http/shape.ts';\n",
    ...[...shapes].map(([name, text]) => `const ${name}: Shape = ${text};`),
    `\nexport const SHAPES = { ${[...shapes.keys()].join(', ')} };\n`,
  ].join('\n');
}
