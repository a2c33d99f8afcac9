import { escaped, inline } from '../../responses/page.ts';
import { anchorOf, type Block } from './blocks.ts';

/** The page's body: a table of contents beside the text on a wide screen, before it on a phone. */
export function asHtml(blocks: readonly Block[]): string {
  const { introduction, sections } = divided(blocks);
  const contents = contentsOf(sections);
  return `<a class="skip" href="#text">Skip to the text</a>
<div class="columns">
<nav class="side" aria-label="Contents">${contents}</nav>
<details class="top"><summary>Contents</summary><nav id="contents" aria-label="Contents">${contents}</nav></details>
<main id="text" tabindex="-1">
${[...introduction.map(markup), ...sections.map(foldedSection)].join('\n')}
</main>
</div>
<a class="back" href="#contents">Contents</a>`;
}

interface Section {
  readonly title: string;
  readonly content: Block[];
}

function divided(blocks: readonly Block[]) {
  const introduction: Block[] = [];
  const sections: Section[] = [];
  for (const block of blocks) {
    if (block.kind === 'heading' && block.level === 2) {
      sections.push({ title: block.text, content: [] });
    } else {
      (sections.at(-1)?.content ?? introduction).push(block);
    }
  }
  return { introduction, sections };
}

/**
 * A section's anchor is in its content, because browsers open what hides the target of a link, but not
 * what the target itself folds: all engines since Safari 26.2
 * (https://html.spec.whatwg.org/multipage/interaction.html#ancestor-revealing-algorithm). A search of the
 * page opens sections, too. The style opens all for print.
 */
function foldedSection({ title, content }: Section): string {
  return `<details class="section"><summary><h2>${inline(title)}</h2></summary>
<div id="${anchorOf(title)}">
${content.map(markup).join('\n')}
</div></details>`;
}

/** The headings below the title as nested lists of links. */
function contentsOf(sections: readonly Section[]): string {
  const items = sections.map(({ title, content }) => {
    const parts = content.flatMap((block) => (block.kind === 'heading' ? [block.text] : []));
    const nested = parts.map((part) => `<li>${linkTo(part)}</li>`).join('');
    return `<li>${linkTo(title)}${nested === '' ? '' : `<ul>${nested}</ul>`}</li>`;
  });
  return `<ul>${items.join('')}</ul>`;
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
