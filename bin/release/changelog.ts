import { CommandError } from '../operator/command.ts';

const UNRELEASED = '## [Unreleased]';

/**
 * The changelog with what is unreleased under a version.
 * @param date the day of the release, `2026-11-22`
 */
export function addRelease(text: string, version: string, date: string): string {
  if (findSection(text, 'Unreleased') === '') {
    throw new CommandError(`CHANGELOG.md has nothing under ${UNRELEASED}`, 1);
  }
  // A function: `$` in a replacement has a meaning.
  return text.replace(UNRELEASED, () => `${UNRELEASED}\n\n## [${version}] - ${date}`);
}

/** The section of the changelog about a version, or about `Unreleased`. */
export function findSection(text: string, version: string): string {
  const [, ...sections] = text.split(/^## (?=\[)/m);
  const section = sections.find((one) => one.startsWith(`[${version}]`));
  if (section === undefined) throw new CommandError(`CHANGELOG.md has no ## [${version}]`, 1);
  return section.slice(section.indexOf('\n')).trim();
}
