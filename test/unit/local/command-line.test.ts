import { describe, expect, it } from 'vitest';
import { CommandError } from '../../../bin/operator/command.ts';
import { readOptions } from '../../../local/command-line.ts';

const options = { port: { type: 'string', default: '4566' }, json: { type: 'boolean' } } as const;

describe('the options of a command', () => {
  it('are read with their defaults', () => {
    expect(readOptions(options, [])).toMatchObject({ port: '4566' });
    expect(readOptions(options, ['--json', '--port', '4570'])).toMatchObject({
      json: true,
      port: '4570',
    });
  });

  it.each([[['--colour']], [['now']], [['--port']], [['--json=yes']]])(
    'are rejected with a list of the valid options: %j',
    (args) => {
      expect(() => readOptions(options, args)).toThrow(CommandError);
      expect(() => readOptions(options, args)).toThrow(/\(options: --port, --json\)$/);
    },
  );
});
