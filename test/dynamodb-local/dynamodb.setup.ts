import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { LOCAL_FOLDER } from '../../local/paths.ts';

const HERE = import.meta.dirname;
const PACKAGES = path.join(LOCAL_FOLDER, 'dynamodb-local');

export async function setup(): Promise<() => Promise<void>> {
  requireTools();
  const copy = [
    '-q',
    '-B',
    '-C',
    'dependency:copy-dependencies',
    '-D',
    `outputDirectory=${PACKAGES}`,
  ];
  execFileSync('mvn', ['-f', path.join(HERE, 'pom.xml'), ...copy], { stdio: 'inherit' });
  const libraries = [`-Djava.library.path=${PACKAGES}`, '-cp', path.join(PACKAGES, '*')];
  const server = spawn('java', [...libraries, path.join(HERE, 'LoopbackServer.java')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(server, 'exit');
  const [url] = await Promise.race([
    once(createInterface(server.stdout), 'line'),
    exited.then(([code]) => Promise.reject(new Error(`DynamoDB Local ended with code ${code}`))),
  ]);
  process.env['AWS_ENDPOINT_URL'] = url;
  return async () => {
    server.stdin.end();
    await exited;
  };
}

function requireTools(): void {
  for (const command of ['java', 'mvn']) {
    try {
      execFileSync(command, ['-version'], { stdio: 'ignore' });
    } catch {
      throw new Error(`DynamoDB Local needs Java 17 and Maven: "${command}" does not run.`);
    }
  }
}
