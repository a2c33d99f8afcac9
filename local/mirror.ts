import path from 'node:path';
import { CommandError, runCommand } from '../bin/operator/command.ts';
import { readOptions } from './command-line.ts';
import { MIRROR_PACKS, startMirror } from './mirror/start.ts';

/**
 * `npm run mirror` serves OpenLandMap's layers with synthetic values over HTTPS on this machine, and writes packs that
 * read them.
 */
async function main(): Promise<void> {
  const options = readOptions({
    port: { type: 'string', default: '4443' },
    latency: { type: 'string', default: '50' },
  });
  const [port, latencyMs] = [Number(options.port), Number(options.latency)];
  if (![port, latencyMs].every((number) => Number.isInteger(number) && number >= 0)) {
    throw new CommandError(
      '--port and --latency (in ms) must be whole numbers that are not negative',
    );
  }
  const onStep = (step: string) => console.log(`${step} …`);
  const { origin, certificateFile } = await startMirror({ port, latencyMs, onStep });
  console.log(`SYNTHETIC layers at ${origin}, each response after ${latencyMs} ms. Try:

  export NODE_EXTRA_CA_CERTS=${certificateFile}
  npm run --silent pack-check -- ${path.join(MIRROR_PACKS, 'openlandmap-soc')} --year 2020 --near=-93.6,42`);
}

await runCommand('mirror', main);
