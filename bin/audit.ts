import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import * as z from 'zod';

const SBOM = '.local/sbom.cdx.json';

const bill = z.looseObject({ components: z.array(z.looseObject({ name: z.string() })) });

const report = z.union([
  z.looseObject({
    vulnerabilities: z.record(
      z.string(),
      z.looseObject({ name: z.string(), severity: z.string(), range: z.string() }),
    ),
  }),
  // What npm prints when the registry refuses to audit, as mirrors do.
  z.looseObject({ message: z.string() }),
]);

/** Severities that stop a release. */
const GRAVE = ['high', 'critical'];

/** `npm run audit`: what is deployed (a CycloneDX file), and what is known against it. */
function main(): void {
  const components = bill.parse(npm('sbom', '--omit=dev', '--sbom-format=cyclonedx'));
  mkdirSync('.local', { recursive: true });
  writeFileSync(SBOM, JSON.stringify(components, null, 2));
  console.log(`${components.components.length} packages are deployed: ${SBOM}`);

  const audit = report.parse(npm('audit', '--omit=dev'));
  if (!('vulnerabilities' in audit)) {
    console.log(`Not audited: the registry answered "${String(audit.message)}"`);
    return;
  }
  const found = Object.values(audit.vulnerabilities);
  for (const { name, severity, range } of found) console.log(`${severity}: ${name} ${range}`);
  if (found.some(({ severity }) => GRAVE.includes(severity))) process.exitCode = 1;
  if (found.length === 0) console.log('No advisory is known against them.');
}

function npm(...command: readonly string[]): unknown {
  const { stdout } = spawnSync('npm', [...command, '--json'], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout);
}

main();
