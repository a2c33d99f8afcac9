import { CommandError } from '../operator/command.ts';

const UNRELEASED = '## [Unreleased]';

/** @param date the day of the release, such as `2026-11-22` */
export function addRelease(text: string, version: string, date: string): string {
  if (findSection(text, 'Unreleased') === '') {
    throw new CommandError(`CHANGELOG.md has nothing under ${UNRELEASED}`, 1);
  }
  // The replacement is a function, because `$` has a meaning in a replacement text.
  return text.replace(UNRELEASED, () => `${UNRELEASED}\n\n## [${version}] - ${date}`);
}

export function findSection(text: string, version: string): string {
  const [, ...sections] = text.split(/^## (?=\[)/m);
  const section = sections.find((text) => text.startsWith(`[${version}]`));
  if (section === undefined) throw new CommandError(`CHANGELOG.md has no ## [${version}]`, 1);
  return section.slice(section.indexOf('\n')).trim();
}
