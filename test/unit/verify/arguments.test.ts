import { describe, expect, it } from 'vitest';
import { apiOf } from '../../../bin/verify/api.ts';
import { readArguments } from '../../../bin/verify/arguments.ts';

const ITEM = 'https://soil.example/v1/batch/1/jobs/2/item';

describe('the command line of `npm run verify`', () => {
  it('has defaults', () => {
    const { seed, ...others } = readArguments([ITEM]) ?? { seed: -1 };
    expect(others).toEqual({
      item: ITEM,
      cells: 100,
      pack: null,
      raster: null,
      year: null,
      json: false,
    });
    expect(seed).toBeGreaterThanOrEqual(0);
    expect(readArguments(['--help'])).toBeNull();
  });

  it.each([
    [[], 'expected exactly one argument'],
    [[ITEM, ITEM], 'expected exactly one argument'],
    [[ITEM, '--cells', '0'], '--cells must be a whole number from 1, or "all"; got 0'],
    [[ITEM, '--cells', '1.5'], '--cells'],
    [[ITEM, '--cells', ''], '--cells'],
    [[ITEM, '--seed', '-1'], '--seed'],
    [[ITEM, '--seed='], '--seed'],
    [[ITEM, '--seed', '4294967296'], '--seed must be a whole number from 0 to 4294967295'],
    [[ITEM, '--key', 'secret'], "Unknown option '--key'"],
  ])('rejects %j', (args, message) => {
    expect(() => readArguments(args)).toThrow(message);
  });
});

describe('the API key', () => {
  it('is needed for a URL, and not for a file', () => {
    expect(apiOf(ITEM, 'k')).not.toBeNull();
    expect(apiOf('http://127.0.0.1:4566/v1/batch/1/jobs/2/item', 'k')).not.toBeNull();
    expect(apiOf('item.json', undefined)).toBeNull();
  });

  it.each([
    [ITEM.replace('https', 'http'), 'k', 'use https'],
    ['https://soil.example/item.json', 'k', 'expected …/v1/batch/{batch_id}/jobs/{job_id}/item'],
    [ITEM, undefined, 'set API_KEY'],
    [ITEM, '', 'set API_KEY'],
  ])('is not sent: %s, %s', (where, key, message) => {
    expect(() => apiOf(where, key)).toThrow(message);
  });
});
