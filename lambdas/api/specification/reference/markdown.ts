/** GitHub gives a heading this anchor; the HTML page uses the same. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

export function linkTo(heading: string, text = heading): string {
  return `[${text}](#${anchorOf(heading)})`;
}

export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
}

export function codeBlock(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

export function foldedBlock(summary: string, content: string): string {
  return `<details><summary>${summary}</summary>\n\n${content}\n\n</details>`;
}

/** Formats a whole number as `12,345`. `toLocaleString` would load ICU, which delays a cold start. */
export function groupedDigits(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}
