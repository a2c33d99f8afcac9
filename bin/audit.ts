import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { buildConsole } from '../lib/build/console-build.ts';
import { buildFunctions, listDeployedHandlers } from '../lib/build/function-code.ts';
import { COPIED_PACKAGES, ONNX_RUNTIME_FOLDER } from '../lib/build/onnx-runtime.ts';
import { CommandError, runCommand } from './operator/command.ts';

const SBOM = '.local/sbom.cdx.json';

const lock = z.object({
  packages: z.record(z.string(), z.object({ version: z.string().optional() })),
});

const sbom = z.looseObject({
  metadata: z.looseObject({ component: z.looseObject({ 'bom-ref': z.string() }) }),
  components: z.array(z.looseObject({ 'bom-ref': z.string() })),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()) })),
});

type Sbom = z.infer<typeof sbom>;

const advisory = z.object({
  name: z.string(),
  severity: z.string(),
  range: z.string(),
  url: z.string(),
});

type Advisory = z.infer<typeof advisory>;

/** npm's audit result for one package: its own advisories, and the names of vulnerable packages that it depends on. */
const vulnerability = z.object({
  nodes: z.array(z.string()),
  via: z.array(z.union([z.string(), advisory])),
});

const report = z.union([
  z.object({ vulnerabilities: z.record(z.string(), vulnerability) }),
  /** What npm reports if the registry cannot be reached or does not support audits. */
  z.object({ message: z.string() }),
]);

/**
 * The CDK adds the function that runs a custom resource's provider (`lib/signing-key.ts`), so code of this package is
 * deployed too.
 */
const CDK = 'node_modules/aws-cdk-lib';

const BLOCKING = ['high', 'critical'];

/** The packages are folders relative to `folder`. */
interface Installation {
  readonly folder: string;
  readonly packages: ReadonlySet<string>;
}

/** `npm run audit` writes the SBOM of the deployed packages (CycloneDX) and prints their advisories. */
async function main(): Promise<void> {
  const options = { 'allow-unaudited': { type: 'boolean', default: false } } as const;
  const allowed = parseArgs({ options }).values['allow-unaudited'];

  const functions = buildFunctions(listDeployedHandlers()).packages;
  const installations: readonly Installation[] = [
    { folder: '.', packages: new Set([...functions, ...buildConsole().packages, CDK]) },
    { folder: ONNX_RUNTIME_FOLDER, packages: new Set(COPIED_PACKAGES) },
  ];
  const document = buildSbom(installations);
  mkdirSync('.local', { recursive: true });
  writeFileSync(SBOM, JSON.stringify(document, null, 2));
  console.log(`${SBOM} lists the ${document.components.length} deployed packages`);

  const found: Advisory[] = [];
  for (const { folder, packages } of installations) {
    const audit = report.parse(runNpm(folder, 'audit'));
    if ('message' in audit) return reportUnaudited(audit.message, allowed);
    for (const { nodes, via } of Object.values(audit.vulnerabilities)) {
      if (!nodes.some((node) => packages.has(node))) continue;
      found.push(...via.filter((cause) => typeof cause !== 'string'));
    }
  }
  for (const { name, severity, range, url } of found) {
    console.log(`${severity}: ${name} ${range} ${url}`);
  }
  if (found.some(({ severity }) => BLOCKING.includes(severity))) process.exitCode = 1;
  if (found.length === 0) console.log('No known advisories.');
}

function buildSbom(installations: readonly Installation[]): Sbom {
  const refs = new Set(installations.flatMap(listRefs));
  const documents = installations.map(({ folder }) =>
    sbom.parse(runNpm(folder, 'sbom', '--sbom-format=cyclonedx', '--package-lock-only')),
  );
  const [project] = documents;
  if (project === undefined) throw new Error('No lock file installs any package.');
  const components = documents
    .flatMap((document) => document.components)
    .filter((component) => refs.has(component['bom-ref']));
  const missing = [...refs].filter((ref) => !components.some((c) => c['bom-ref'] === ref));
  if (missing.length > 0)
    throw new CommandError(
      `Deployed packages that no lock file contains: ${missing.join(', ')}`,
      1,
    );
  const root = project.metadata.component['bom-ref'];
  return {
    ...project,
    components,
    dependencies: documents
      .flatMap(({ dependencies }) => dependencies)
      .filter(({ ref }) => ref === root || refs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((on) => refs.has(on)) })),
  };
}

function listRefs({ folder, packages }: Installation): readonly string[] {
  const file = join(folder, 'package-lock.json');
  const locked = lock.parse(JSON.parse(readFileSync(file, 'utf8'))).packages;
  return [...packages].map(
    (path) => `${path.split('node_modules/').at(-1)}@${locked[path]?.version}`,
  );
}

function reportUnaudited(reason: string, allowed: boolean): void {
  const finding = `NOT AUDITED: the registry did not audit the packages (${reason})`;
  if (!allowed) throw new CommandError(`${finding}. To accept this, use --allow-unaudited.`, 1);
  console.log(`${finding}. Accepted because of --allow-unaudited.`);
}

/** Includes packages that npm's configuration would omit. */
function runNpm(folder: string, ...command: readonly string[]): unknown {
  const args = [...command, '--include=dev', '--json'];
  const { stdout, stderr } = spawnSync('npm', args, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (stdout === '') throw new CommandError(`npm ${command[0]} printed no report. ${stderr}`, 1);
  return JSON.parse(stdout);
}

await runCommand('audit', main);
