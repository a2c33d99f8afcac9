import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { CommandError, runCommand } from './operator/command.ts';

const SBOM = '.local/sbom.cdx.json';

const sbom = z.looseObject({ components: z.array(z.looseObject({ name: z.string() })) });

const advisory = z.object({ name: z.string(), severity: z.string(), range: z.string() });

const report = z.union([
  z.object({ vulnerabilities: z.record(z.string(), advisory) }),
  /** If the registry does not support audits, as with mirrors, or cannot be reached. */
  z.object({ message: z.string() }),
]);

/** Severities that stop a release. */
const BLOCKING = ['high', 'critical'];

/** `npm run audit`: writes the SBOM of the deployed packages (CycloneDX) and prints their advisories. */
async function main(): Promise<void> {
  const options = { 'allow-unaudited': { type: 'boolean', default: false } } as const;
  const allowed = parseArgs({ options }).values['allow-unaudited'];

  const document = sbom.parse(
    npm('sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--omit=dev'),
  );
  mkdirSync('.local', { recursive: true });
  writeFileSync(SBOM, JSON.stringify(document, null, 2));
  console.log(`${document.components.length} packages are deployed: ${SBOM}`);

  const audit = report.parse(npm('audit', '--omit=dev'));
  if ('message' in audit) return unaudited(audit.message, allowed);
  const found = Object.values(audit.vulnerabilities);
  for (const { name, severity, range } of found) console.log(`${severity}: ${name} ${range}`);
  if (found.some(({ severity }) => BLOCKING.includes(severity))) process.exitCode = 1;
  if (found.length === 0) console.log('No known advisories.');
}

/** Fails, unless the caller accepts that no audit took place. */
function unaudited(reason: string, allowed: boolean): void {
  const finding = `NOT AUDITED: the registry returned no advisories (${reason})`;
  if (!allowed) throw new CommandError(`${finding}. --allow-unaudited accepts this.`, 1);
  console.log(`${finding}. Accepted by --allow-unaudited.`);
}

function npm(...command: readonly string[]): unknown {
  const { stdout, stderr } = spawnSync('npm', [...command, '--json'], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (stdout === '') throw new CommandError(`npm ${command[0]} printed no report. ${stderr}`, 1);
  return JSON.parse(stdout);
}

await runCommand('audit', main);
