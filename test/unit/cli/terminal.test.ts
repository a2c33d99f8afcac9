import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { CliError, EXIT } from '../../../cli/src/exit-code.ts';
import { type Output, terminalOf } from '../../../cli/src/terminal/terminal.ts';

function terminal({ input = '', isTTY = true, output = 'lines' as Output } = {}) {
  const stdin = Object.assign(new PassThrough(), { isTTY });
  stdin.end(input);
  const stdout = new PassThrough();
  const stderr = Object.assign(new PassThrough(), { isTTY });
  return { ...terminalOf({ stdin, stdout, stderr }, output), stdout, stderr };
}

describe('a question', () => {
  it.each([
    ['y\n', true],
    ['Yes\n', true],
    ['\n', false],
    ['no\n', false],
    ['', false],
  ])('with the reply %j is %s', async (input, agreed) => {
    expect(await terminal({ input }).confirm('Start?')).toBe(agreed);
  });

  it.each([{ isTTY: false }, { output: 'json' }, { output: 'quiet' }] as const)(
    'is an error where nobody reads: %j',
    async (options) => {
      const asked = terminal({ input: 'y\n', ...options }).confirm('Start?');
      await expect(asked).rejects.toMatchObject({ exitCode: EXIT.usage });
      await expect(asked).rejects.toThrow('--yes');
    },
  );
});

describe('a report', () => {
  it('is either lines or one event', () => {
    const event = { event: 'done', name: 'a\u009bb' };
    const people = terminal();
    people.report(event, ['one\ntwo', 'three']);
    expect(String(people.stdout.read())).toBe('one\\u000atwo\nthree\n');
    const programs = terminal({ output: 'json' });
    programs.report(event, ['one']);
    expect(String(programs.stdout.read())).toBe('{"event":"done","name":"a\\u009bb"}\n');
  });

  it('is silent with --quiet, except for a failure', () => {
    const quiet = terminal({ output: 'quiet' });
    quiet.report({ event: 'done' }, ['one']);
    quiet.note('a hint');
    expect([quiet.stdout.read(), quiet.stderr.read()]).toEqual([null, null]);
    quiet.fail(new CliError('the disk is full'));
    expect(String(quiet.stderr.read())).toContain('the disk is full');
  });
});
