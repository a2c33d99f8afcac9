import { expect, it } from 'vitest';
import { boundsOfCovered } from '../../../console/map/bounds.ts';
import { aBox } from '../../support/box.ts';

const models = [{ coverage: aBox(5, 50, 6, 51) }];

it('shows the fields that a model covers, not one far away', () => {
  const fields = [aBox(5.1, 50.1, 5.2, 50.2), aBox(5.3, 50.3, 5.4, 50.4), aBox(-70, -30, -69, -29)];
  expect(boundsOfCovered(fields, models)).toEqual([5.1, 50.1, 5.4, 50.4]);
});

it('shows all fields if no model covers any', () => {
  const fields = [aBox(-70, -30, -69, -29), aBox(-68, -30, -67, -29)];
  expect(boundsOfCovered(fields, models)).toEqual([-70, -30, -67, -29]);
});
