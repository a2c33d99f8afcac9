import { type ParseArgsConfig, parseArgs } from 'node:util';
import { messageOf } from '../../engine/errors/message-of.ts';
import { TENANT_NAME } from '../../lambdas/domain/tenant/tenant.ts';
import { STAGES, type StageName } from '../../lib/stages.ts';
import { CommandError } from './command.ts';

export interface Common {
  readonly stage: StageName;
  readonly json: boolean;
}

export interface CommandLine<Name extends string> {
  /** Null for `--help`, or if no command is given. */
  readonly kind: string | null;
  readonly common: Common;
  readonly given: Readonly<Partial<Record<Name, string>>>;
}

export const COMMON_HELP = `  --stage local|dev|prod       the stage (default: local, the service of "npm start")
  --json                       print JSON
  --help                       print this

dev and prod use the AWS credentials and region of your environment.`;

/**
 * Reads `<command> [options]`, where each of the command's options takes a value.
 * @param names the options other than the common ones
 * @throws CommandError
 */
export function readCommandLine<Name extends string>(
  args: readonly string[],
  names: readonly Name[],
): CommandLine<Name> {
  const { values, positionals } = parseAll(args, names);
  const [kind, ...rest] = positionals;
  const given: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = values[name];
    if (typeof value === 'string') given[name] = value;
  }
  const json = values['json'] === true;
  if (values['help'] === true || kind === undefined) {
    return { kind: null, common: { stage: 'local', json }, given };
  }
  if (rest.length > 0) throw new CommandError(`unexpected arguments: ${rest.join(' ')}`);
  return { kind, common: { stage: parseStage(values['stage']), json }, given };
}

interface Parsed {
  readonly values: Readonly<Partial<Record<string, unknown>>>;
  readonly positionals: readonly string[];
}

function parseAll(args: readonly string[], names: readonly string[]): Parsed {
  const own = names.map((name) => [name, { type: 'string' as const }]);
  return parseOptions({
    args: [...args],
    allowPositionals: true,
    options: {
      ...Object.fromEntries(own),
      stage: { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
}

/** @throws CommandError if `parseArgs` fails */
export function parseOptions<const Config extends ParseArgsConfig>(config: Config) {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new CommandError(messageOf(error));
  }
}

/** @throws CommandError that names an option which the command does not accept */
export function acceptOnly<Name extends string>(
  { kind, given }: CommandLine<Name>,
  ...names: readonly Name[]
): void {
  const other = (Object.keys(given) as Name[]).find((name) => !names.includes(name));
  if (other !== undefined) throw new CommandError(`${kind} does not accept --${other}`);
}

export function requireOption(value: string | undefined, option: string): string {
  if (value === undefined || value === '') throw new CommandError(`${option} is required`);
  return value;
}

export function parseTenant(text: string | undefined): string {
  const name = requireOption(text, '--tenant');
  if (TENANT_NAME.test(name)) return name;
  throw new CommandError(
    '--tenant must be 1 to 63 letters, digits, "-" and "_", and start with a letter or digit',
  );
}

export function parseStage(text: unknown = 'local'): StageName {
  const stage = STAGES.find((name) => name === text);
  if (stage === undefined)
    throw new CommandError(`--stage must be one of ${STAGES.join(', ')}; got ${text}`);
  return stage;
}

/**
 * Reads the only argument of this process's command, the folder of a pack; null for `--help`.
 * @param example a folder for the message
 * @throws CommandError
 */
export function readFolderArgument(example: string): string | null {
  const { values, positionals } = parseOptions({
    options: { help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  if (values.help === true) return null;
  const [folder, ...others] = positionals;
  if (folder === undefined || others.length > 0)
    throw new CommandError(`expected the folder of a pack, such as ${example}`);
  return folder;
}
