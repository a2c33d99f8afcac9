import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import cli from '../../../cli/package.json' with { type: 'json' };
import { COMMANDS, runCli, WEBHOOK_COMMANDS } from '../../../cli/src/commands/program.ts';
import { EXIT } from '../../../cli/src/exit-code.ts';

const readme = readFileSync('cli/README.md', 'utf8');
const commands = [
  ...COMMANDS,
  ...WEBHOOK_COMMANDS.map((spec) => ({ ...spec, usage: `webhook ${spec.usage}` })),
];

async function run(args: readonly string[]) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const code = await runCli(args, {
    ...{ stdin, stdout, stderr, env: {}, cwd: '/', fallback: undefined },
    signal: new AbortController().signal,
  });
  return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}

describe('the commands of the CLI', () => {
  it('are those of its README', () => {
    const section = readme.split(/^## /m).find((one) => one.startsWith('Commands\n')) ?? '';
    const rows = [...section.matchAll(/^\| `([a-z][^`]*)` +\| ([^|]*?) +\|$/gm)];
    expect(rows.map(([, usage, summary]) => ({ usage, summary }))).toEqual(
      commands.map(({ usage, summary }) => ({ usage, summary })),
    );
  });

  it.each(commands)('$usage has a help with an example', async ({ usage, example, parameters }) => {
    const names = usage.split(' ').filter((word) => !word.startsWith('<'));
    const { code, stdout } = await run([...names, '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain(`soil-batch ${example}`);
    expect(example.startsWith(names.join(' '))).toBe(true);
    for (const parameter of Object.keys(parameters)) expect(usage).toContain(`<${parameter}>`);
  });

  it.each([
    [[]],
    [['runn', 'fields.gpkg']],
    [['run']],
    [['run', 'fields.gpkg']],
    [['run', 'fields.gpkg', '--year', '21']],
    [['run', 'fields.gpkg', 'more.gpkg', '--year', '2021']],
    [['run', 'fields.gpkg', '--year', '2021', '--key', 'secret']],
    [['list', '--limit', '0']],
    [['list', '--status', 'done']],
    [['webhook', 'verify', 'body.json', '-H', 'no header']],
  ])('called as %j exit with 2', async (args) => {
    const { code, stderr } = await run(args);
    expect(code).toBe(EXIT.usage);
    expect(stderr).not.toBe('');
  });

  it('have the version of the package', async () => {
    const { code, stdout } = await run(['--version']);
    expect([code, stdout]).toEqual([EXIT.complete, `${cli.version}\n`]);
  });

  it('show an argument without its control characters', async () => {
    const { stderr } = await run(['\u001b]0;title\u0007']);
    expect(stderr).toContain('\\u001b]0;title\\u0007');
    expect(stderr).not.toContain('\u001b');
  });
});

it('the README and the help have every exit code', async () => {
  const codes = [...readme.matchAll(/^\| (\d+) +\|/gm)].map(([, code]) => Number(code));
  expect(codes.sort((a, b) => a - b)).toEqual(Object.values(EXIT).sort((a, b) => a - b));
});
