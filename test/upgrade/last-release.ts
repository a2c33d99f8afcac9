import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_FOLDER } from '../../local/paths.ts';

/** The tag of the last release before this commit, such as `v0.3.0`; null if this clone has none. */
export function findLastRelease(): string | null {
  const describe = ['describe', '--tags', '--abbrev=0', '--match', 'v*'];
  const { status, stdout } = spawnSync('git', describe, { cwd: PROJECT_FOLDER, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

/** Checks a release out, with its own packages. @returns its folder */
export function checkOut(tag: string): string {
  const folder = join(PROJECT_FOLDER, '.local/upgrade', tag);
  rmSync(folder, { recursive: true, force: true });
  run(PROJECT_FOLDER, 'git', 'worktree', 'prune');
  run(PROJECT_FOLDER, 'git', 'worktree', 'add', '--detach', folder, tag);
  run(folder, 'npm', 'ci');
  return folder;
}

export function removeCheckOut(folder: string): void {
  run(PROJECT_FOLDER, 'git', 'worktree', 'remove', '--force', folder);
}

function run(cwd: string, command: string, ...args: readonly string[]): void {
  execFileSync(command, args, { cwd, stdio: 'pipe' });
}
