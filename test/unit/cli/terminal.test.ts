import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../cli/src/exit-code.ts';
import { terminalOf } from '../../../cli/src/terminal/terminal.ts';

function terminal({ input = '', isTTY = true, json = false } = {}) {
  const stdin = Object.assign(new PassThrough(), { isTTY });
  stdin.end(input);
  const stdout = new PassThrough();
  const stderr = Object.assign(new PassThrough(), { isTTY });
  return { ...terminalOf({ stdin, stdout, stderr }, json), stdout, stderr };
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

  it.each([{ isTTY: false }, { json: true }])(
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
    const programs = terminal({ json: true });
    programs.report(event, ['one']);
    expect(String(programs.stdout.read())).toBe('{"event":"done","name":"a\\u009bb"}\n');
  });
});
