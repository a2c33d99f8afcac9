import { escaped, inline } from '../http/page.ts';
import { anchorOf, type Block } from './blocks.ts';

/** The page's body: a table of contents beside the text on a wide screen, before it on a phone. */
export function asHtml(blocks: readonly Block[]): string {
  const contents = contentsOf(blocks);
  return `<a class="skip" href="#text">Skip to the text</a>
<div class="columns">
<nav class="side" aria-label="Contents">${contents}</nav>
<details class="top"><summary>Contents</summary><nav id="contents" aria-label="Contents">${contents}</nav></details>
<main id="text" tabindex="-1">
${blocks.map(markup).join('\n')}
</main>
</div>
<a class="back" href="#contents">Contents</a>`;
}

/** The headings below the title as nested lists of links. */
function contentsOf(blocks: readonly Block[]): string {
  const sections: { readonly title: string; readonly parts: string[] }[] = [];
  for (const block of blocks) {
    if (block.kind !== 'heading') continue;
    if (block.level === 2) sections.push({ title: block.text, parts: [] });
    if (block.level === 3) sections.at(-1)?.parts.push(block.text);
  }
  return `<ul>${sections.map(({ title, parts }) => `<li>${linkTo(title)}${parts.length === 0 ? '' : `<ul>${parts.map((part) => `<li>${linkTo(part)}</li>`).join('')}</ul>`}</li>`).join('')}</ul>`;
}

function linkTo(heading: string): string {
  return `<a href="#${anchorOf(heading)}">${inline(heading.replace(/ type$/, ''))}</a>`;
}

function markup(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `<h${block.level} id="${anchorOf(block.text)}">${inline(block.text)}</h${block.level}>`;
    case 'text':
      return `<p>${inline(block.text)}</p>`;
    case 'list':
      return `<ul>${block.items.map((item) => `<li>${inline(item)}</li>`).join('')}</ul>`;
    case 'table': {
      const rows = block.rows.map((cells) => row('td', cells)).join('');
      const table = `<table><thead>${row('th', block.head)}</thead><tbody>${rows}</tbody></table>`;
      return folded(block.summary, `<div class="wide">${table}</div>`);
    }
    case 'code':
      return folded(block.summary, `<pre tabindex="0"><code>${escaped(block.text)}</code></pre>`);
  }
}

function folded(summary: string | undefined, content: string): string {
  if (summary === undefined) return content;
  return `<details><summary>${inline(summary)}</summary>${content}</details>`;
}

function row(cell: 'th' | 'td', texts: readonly string[]): string {
  return `<tr>${texts.map((text) => `<${cell}>${inline(text)}</${cell}>`).join('')}</tr>`;
}
