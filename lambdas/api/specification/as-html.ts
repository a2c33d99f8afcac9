import { escaped, inline } from '../http/page.ts';
import { anchorOf, type Block } from './blocks.ts';

export function asHtml(blocks: readonly Block[]): string {
  return blocks.map(markup).join('\n');
}

function markup(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `<h${block.level} id="${anchorOf(block.text)}">${inline(block.text)}</h${block.level}>`;
    case 'text':
      return `<p>${inline(block.text)}</p>`;
    case 'list':
      return `<ul>${block.items.map((item) => `<li>${inline(item)}</li>`).join('')}</ul>`;
    case 'table':
      return `<div class="wide"><table><thead>${row('th', block.head)}</thead><tbody>${block.rows
        .map((cells) => row('td', cells))
        .join('')}</tbody></table></div>`;
    case 'code':
      return `<pre tabindex="0"><code>${escaped(block.text)}</code></pre>`;
  }
}

function row(cell: 'th' | 'td', texts: readonly string[]): string {
  return `<tr>${texts.map((text) => `<${cell}>${inline(text)}</${cell}>`).join('')}</tr>`;
}
