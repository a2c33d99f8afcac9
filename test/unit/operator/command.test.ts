import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CommandError, escapeControls, print, runCommand } from '../../../bin/operator/command.ts';

const lines: string[] = [];

beforeEach(() => {
  lines.length = 0;
  vi.stubEnv('DEBUG', undefined);
  for (const method of ['log', 'error'] as const) {
    vi.spyOn(console, method).mockImplementation((line) => lines.push(`${method}: ${line}`));
  }
});

afterEach(() => {
  process.exitCode = undefined;
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe('an operator’s command', () => {
  it.each([
    [new CommandError('--id is required'), 2, ['error: keys: --id is required']],
    [new CommandError('the stack is missing', 1), 1, ['error: keys: the stack is missing']],
    [
      new Error('Access denied'),
      1,
      ['error: keys: Access denied', 'error: DEBUG=1 shows the stack.'],
    ],
  ])(
    'ends with the error on one line, and with a hint if it is unexpected: %s',
    async (error, exitCode, printed) => {
      await runCommand('keys', async () => {
        throw error;
      });
      expect([process.exitCode, lines]).toEqual([exitCode, printed]);
    },
  );

  it('shows the stack of an unexpected error on request', async () => {
    vi.stubEnv('DEBUG', '1');
    await runCommand('keys', async () => {
      throw new TypeError('no such property');
    });
    expect(lines).toEqual(['error: keys: no such property', 'error: TypeError: no such property']);
  });

  it('prints its result as text or as JSON', () => {
    const result = { data: { keys: [] }, text: 'No keys.' };
    print(result, false);
    print(result, true);
    expect(lines).toEqual(['log: No keys.', `log: ${JSON.stringify(result.data, null, 2)}`]);
  });
});

describe('untrusted text on a terminal', () => {
  it('has its control characters escaped', () => {
    expect(escapeControls('\u001b[2Ja\u009b1m\nb\u202ec\u{e0041}')).toBe(
      '\\u001b[2Ja\\u009b1m\\u000ab\\u202ec\\udb40\\udc41',
    );
    expect(escapeControls('Äcker 1 – 漢字')).toBe('Äcker 1 – 漢字');
  });

  it('never contains a control character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(escapeControls(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      }),
    );
  });
});
