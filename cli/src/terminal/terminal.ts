import { createInterface } from 'node:readline';
import { SingleBar } from 'cli-progress';
import { CliError, EXIT } from '../exit-code.ts';
import { printable, printableJson } from './printable.ts';

/** The streams of a process; `isTTY` if a person is at the other end. */
export interface Streams {
  readonly stdin: NodeJS.ReadableStream & MaybeTty;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream & MaybeTty;
}

export interface MaybeTty {
  readonly isTTY?: boolean;
}

/** One line of `--json`. */
export interface CliEvent {
  readonly event: string;
  readonly [field: string]: unknown;
}

interface Bar {
  update(value: number, text: string): void;
  stop(): void;
}

/** For people, as NDJSON for programs, or nothing but failures. */
export type Output = 'lines' | 'json' | 'quiet';

/** Everything a command prints. It never writes a control character of others. */
export interface Terminal {
  /** A result: the lines for people on stdout, or the event. */
  report(event: CliEvent, lines: readonly string[]): void;
  /** A hint for people, on stderr, also with `--json`, but not with `--quiet`. */
  note(line: string): void;
  /** The sentence that a failed command ends with. */
  fail(failure: CliError): void;
  /** @throws CliError unless a person can be asked */
  confirm(question: string): Promise<boolean>;
  bar(title: string, total: number): Bar;
}

export function terminalOf(streams: Streams, output: Output): Terminal {
  const { stdin, stdout, stderr } = streams;
  return {
    report(event, lines) {
      if (output === 'json') stdout.write(`${printableJson(event)}\n`);
      if (output === 'lines') for (const line of lines) stdout.write(`${printable(line)}\n`);
    },
    note(line) {
      if (output !== 'quiet') stderr.write(`${printable(line)}\n`);
    },
    fail({ message, exitCode }) {
      if (output === 'json')
        stdout.write(`${printableJson({ event: 'error', message, exit_code: exitCode })}\n`);
      stderr.write(`soil-batch: ${printable(message)}\n`);
    },
    async confirm(question) {
      if (output !== 'lines' || stdin.isTTY !== true || stderr.isTTY !== true) {
        throw new CliError(
          'nobody can be asked here: add --yes to start without a question',
          EXIT.usage,
        );
      }
      const reply = await replyTo(`${printable(question)} [y/N] `, stdin, stderr);
      return /^y(es)?$/i.test(reply.trim());
    },
    bar: (title, total) => openBar(stderr, output !== 'lines', printable(title), total),
  };
}

/** Empty if the input ends, or at Ctrl-C. */
function replyTo(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<string> {
  const prompt = createInterface({ input, output });
  return new Promise((resolve) => {
    prompt.once('close', () => resolve(''));
    prompt.question(question, (reply) => {
      resolve(reply);
      prompt.close();
    });
  });
}

/** A progress bar on a terminal; elsewhere nothing, for each update would be a line of a log. */
function openBar(
  stream: NodeJS.WritableStream & { readonly isTTY?: boolean },
  silent: boolean,
  title: string,
  total: number,
): Bar {
  if (silent || stream.isTTY !== true) return { update: () => {}, stop: () => {} };
  const bar = new SingleBar({
    stream,
    format: `${title.padEnd(12)} {bar} {percentage} %  {text}`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 30,
    hideCursor: true,
    linewrap: false,
    gracefulExit: false,
  });
  bar.start(total, 0, { text: '' });
  return {
    update: (value, text) => bar.update(Math.min(value, total), { text: printable(text) }),
    stop: () => bar.stop(),
  };
}
