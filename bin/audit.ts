import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { runCommand } from './operator/command.ts';

const SBOM = '.local/sbom.cdx.json';

const sbom = z.looseObject({ components: z.array(z.looseObject({ name: z.string() })) });

const advisory = z.object({ name: z.string(), severity: z.string(), range: z.string() });

const report = z.object({
  vulnerabilities: z.record(z.string(), advisory).optional(),
  /** Set if the registry does not support audits, as with mirrors. */
  message: z.string().optional(),
});

/** Severities that stop a release. */
const BLOCKING = ['high', 'critical'];

/** `npm run audit`: writes the SBOM of the deployed packages (CycloneDX) and prints their advisories. */
async function main(): Promise<void> {
  const document = sbom.parse(
    npm('sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--omit=dev'),
  );
  mkdirSync('.local', { recursive: true });
  writeFileSync(SBOM, JSON.stringify(document, null, 2));
  console.log(`${document.components.length} packages are deployed: ${SBOM}`);

  const audit = report.parse(npm('audit', '--omit=dev'));
  if (audit.vulnerabilities === undefined) {
    console.log(`Not audited: the registry returned "${audit.message}"`);
    return;
  }
  const found = Object.values(audit.vulnerabilities);
  for (const { name, severity, range } of found) console.log(`${severity}: ${name} ${range}`);
  if (found.some(({ severity }) => BLOCKING.includes(severity))) process.exitCode = 1;
  if (found.length === 0) console.log('No known advisories.');
}

function npm(...command: readonly string[]): unknown {
  const { stdout } = spawnSync('npm', [...command, '--json'], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout);
}

await runCommand('audit', main);
