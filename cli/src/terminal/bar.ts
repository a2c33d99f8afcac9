import { SingleBar } from 'cli-progress';
import { printable } from './printable.ts';

export interface Bar {
  update(value: number, text: string): void;
  stop(): void;
}

/** A progress bar on a terminal; elsewhere nothing, for each update would be a line of a log. */
export function openBar(
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
