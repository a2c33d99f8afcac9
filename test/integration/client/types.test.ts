import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { generateClientShapes } from '../../../bin/generated/client-shapes.ts';
import { generateClientTypes } from '../../../bin/generated/client-types.ts';

it("the client's types and shapes match the OpenAPI document (`npm run docs`)", async () => {
  expect(readFileSync('client/src/openapi.ts', 'utf8')).toBe(await generateClientTypes());
  expect(readFileSync('client/src/shapes.ts', 'utf8')).toBe(generateClientShapes());
});
