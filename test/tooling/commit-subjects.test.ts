import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';

/** GitHub truncates longer subjects in lists of commits. */
const LONGEST_SUBJECT = 72;
/** Commits before this time are not checked. */
const CHECKED_SINCE = Date.parse('2026-11-28T02:00:00Z') / 1000;

it.skipIf(!existsSync('.git'))('recent commits have subjects of at most 72 characters', () => {
  const log = execFileSync('git', ['log', '--format=%at %s'], { encoding: 'utf8' });
  const subjects = log
    .trim()
    .split('\n')
    .filter((line) => Number.parseInt(line, 10) >= CHECKED_SINCE)
    .map((line) => line.slice(line.indexOf(' ') + 1));
  expect(subjects.filter((subject) => [...subject].length > LONGEST_SUBJECT)).toEqual([]);
});
