import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import * as z from 'zod';
import { CliError } from '../exit-code.ts';

const LOCK = /^lock\.(\d+)$/;
/** Time to write the owner into a new lock; after it, an empty lock belongs to a process that died. */
const WRITING_MS = 2_000;

const lockOwner = z.object({ pid: z.number().int(), host: z.string() });

export interface Lock {
  release(): Promise<void>;
}

/**
 * Makes this process the only one that works in a folder. Locks are numbered: the lock of a
 * dead process is superseded by creating the next number, which only one process can.
 * @throws CliError while another process holds it
 */
export async function lockFolder(folder: string): Promise<Lock> {
  await mkdir(folder, { recursive: true });
  for (;;) {
    const before = await locksIn(folder);
    for (const number of before) await requireDead(lockFile(folder, number), folder);
    const own = Math.max(0, ...before) + 1;
    if (!(await create(lockFile(folder, own)))) continue;
    const release = () => rm(lockFile(folder, own), { force: true });
    // Others may have taken and released locks since this process read the folder.
    const others = (await locksIn(folder)).filter((number) => number !== own);
    try {
      for (const number of others) await requireDead(lockFile(folder, number), folder);
    } catch (error) {
      await release();
      throw error;
    }
    for (const number of others) await rm(lockFile(folder, number), { force: true });
    return { release };
  }
}

function lockFile(folder: string, number: number): string {
  return path.join(folder, `lock.${number}`);
}

async function locksIn(folder: string): Promise<readonly number[]> {
  const numbers = (await readdir(folder)).map((name) => Number(LOCK.exec(name)?.[1] ?? 0));
  return numbers.filter((number) => number > 0);
}

async function create(file: string): Promise<boolean> {
  const handle = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return undefined;
    throw error;
  });
  if (handle === undefined) return false;
  try {
    await handle.writeFile(JSON.stringify({ pid: process.pid, host: hostname() }));
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  return true;
}

/** @throws CliError if the lock's process may be running */
async function requireDead(file: string, folder: string): Promise<void> {
  const [text, age] = await Promise.all([
    readFile(file, 'utf8').catch(() => ''),
    stat(file).then(
      // Of a time to come, the clock has been set back.
      ({ mtimeMs }) => Math.abs(Date.now() - mtimeMs),
      () => Number.POSITIVE_INFINITY,
    ),
  ]);
  const owner = ownerOf(text);
  if (owner === undefined) {
    if (age > WRITING_MS) return;
    throw new CliError(`another process starts to work in ${path.dirname(folder)}: try again`);
  }
  const isHere = owner.host === hostname();
  if (isHere && !isRunning(owner.pid)) return;
  const where = isHere ? '' : ` on ${owner.host}`;
  throw new CliError(
    `process ${owner.pid}${where} works in ${path.dirname(folder)}: wait for it; if it has ended, remove ${file}`,
  );
}

function ownerOf(text: string): z.infer<typeof lockOwner> | undefined {
  try {
    return lockOwner.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
