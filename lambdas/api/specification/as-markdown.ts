import type { Block } from './blocks.ts';

export function asMarkdown(blocks: readonly Block[]): string {
  return `${blocks.map(markdown).join('\n\n')}\n`;
}

function markdown(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(block.level)} ${block.text}`;
    case 'text':
      return block.text;
    case 'list':
      return block.items.map((item) => `- ${item}`).join('\n');
    case 'table':
      return `${introduction(block)}${[block.head, block.head.map(() => '---'), ...block.rows].map(row).join('\n')}`;
    case 'code':
      return `${introduction(block)}\`\`\`${block.language}\n${block.text}\n\`\`\``;
  }
}

function introduction({ summary }: { readonly summary?: string }): string {
  return summary === undefined ? '' : `${summary}:\n\n`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
