import type { OpenApiDocument, OperationObject, Schema } from '../openapi.ts';
import { CODE_TABLES } from './job-codes.ts';
import { linkTo, markdownTable } from './markdown.ts';
import { fieldRows, typeHeading, typeLink, typeOf } from './schema-text.ts';

export interface TypeSections {
  /** Leaves out types whose section is elsewhere. */
  of(operation: OperationObject): readonly string[];
  named(names: readonly string[]): readonly string[];
}

const ELSEWHERE = ['Problem', ...Object.keys(CODE_TABLES)];

export function typeSections(document: OpenApiDocument): TypeSections {
  const { schemas } = document.components;
  const operations = [
    ...Object.values(document.paths),
    ...Object.values(document.webhooks),
  ].flatMap((item) => Object.values(item));
  const placed = new Set(ELSEWHERE);
  const bodies = operations.map(
    (operation) => [operation, takeUnplaced(bodiesOf(operation))] as const,
  );
  const homes = new Map(
    bodies.map(([operation, names]) => [operation, [...names, ...needsOf(operation, names)]]),
  );
  const sectionsNamed = (names: readonly string[]) => names.flatMap(section);
  return { of: (operation) => sectionsNamed(homes.get(operation) ?? []), named: sectionsNamed };

  /** @returns the types that had no section yet */
  function takeUnplaced(names: readonly string[]): readonly string[] {
    const added = names.filter((name) => !placed.has(name));
    for (const name of added) placed.add(name);
    return added;
  }

  /** A type that is the body of another operation has its section there. */
  function needsOf(operation: OperationObject, names: readonly string[]): readonly string[] {
    const queue = [...names.flatMap((name) => referencesIn(schemas[name]))];
    queue.push(...referencesIn(operation.parameters));
    const found: string[] = [];
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
      const added = takeUnplaced([name]);
      found.push(...added);
      queue.push(...added.flatMap((each) => referencesIn(schemas[each])));
    }
    return found;
  }

  function section(name: string): readonly string[] {
    const schema = schemas[name];
    if (schema === undefined) return [];
    const users = [
      ...operations
        .filter((operation) => referencesIn(operation).includes(name))
        .map(({ summary }) => linkTo(summary)),
      ...Object.entries(schemas)
        .filter(([, other]) => referencesIn(other).includes(name))
        .map(([other]) => typeLink(other)),
    ];
    return [
      `### ${typeHeading(name)}`,
      name === 'Problem' ? 'The body of every error.' : `Used by ${users.join(', ')}.`,
      ...(schema.description === undefined ? [] : [schema.description]),
      contentOf(name, schema),
    ];
  }
}

function contentOf(name: string, schema: Schema): string {
  const codes = CODE_TABLES[name];
  if (codes !== undefined) return codes;
  if (schema.properties === undefined) return typeOf(schema);
  return markdownTable(['field', 'type', 'meaning'], fieldRows(schema));
}

function bodiesOf({ requestBody, responses }: OperationObject): readonly string[] {
  return referencesIn([requestBody, responses]);
}

function referencesIn(part: unknown): readonly string[] {
  const text = JSON.stringify(part) ?? '';
  const names = text.matchAll(/"#\/components\/schemas\/(\w+)"/g);
  return [...new Set([...names].map(([, name = '']) => name))];
}
