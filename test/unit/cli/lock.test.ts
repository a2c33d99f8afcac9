import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockFolder } from '../../../cli/src/run/lock.ts';

/** Above the largest process id of Linux (2^22) and macOS. */
const NO_PROCESS = 2 ** 30;

let folder = '';
beforeEach(() => {
  folder = path.join(mkdtempSync(path.join(tmpdir(), 'lock-')), '.soil-batch');
  mkdirSync(folder);
});
afterEach(() => rmSync(path.dirname(folder), { recursive: true }));

function leave(number: number, content: string, ageSeconds = 0): void {
  const file = path.join(folder, `lock.${number}`);
  writeFileSync(file, content);
  const time = Date.now() / 1_000 - ageSeconds;
  utimesSync(file, time, time);
}

const ownedBy = (pid: number, host = hostname()) => JSON.stringify({ pid, host });

describe('the lock of a run', () => {
  it('is held until it is released', async () => {
    const lock = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toThrow(`process ${process.pid} works in`);
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
    await (await lockFolder(folder)).release();
  });

  it('of a dead process is superseded', async () => {
    leave(1, ownedBy(NO_PROCESS));
    await lockFolder(folder);
    expect(readdirSync(folder)).toEqual(['lock.2']);
    await expect(lockFolder(folder)).rejects.toThrow(`process ${process.pid}`);
  });

  it('of a dead process goes to one of many', async () => {
    leave(1, ownedBy(NO_PROCESS));
    const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => lockFolder(folder)));
    const holders = attempts.filter(({ status }) => status === 'fulfilled');
    expect(holders.length).toBeLessThanOrEqual(1);
    expect(readdirSync(folder).length).toBe(holders.length);
  });

  it('of another machine is respected, because its processes can’t be seen', async () => {
    leave(1, ownedBy(NO_PROCESS, 'elsewhere'));
    await expect(lockFolder(folder)).rejects.toThrow(/on elsewhere .*remove .*lock\.1/);
  });

  it('without an owner is superseded only when its process has had time to write', async () => {
    leave(1, '');
    await expect(lockFolder(folder)).rejects.toThrow('try again');
    leave(1, '{"pid":', 60);
    await (await lockFolder(folder)).release();
    // The clock has been set back.
    leave(1, '', -3_600);
    await (await lockFolder(folder)).release();
  });
});
