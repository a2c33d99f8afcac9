import { Lexer, Parser, Renderer, type Token, type Tokens } from 'marked';
import { escaped } from '../../http/html-page.ts';
import { anchorOf } from './markdown.ts';

/**
 * The body of the page that shows the reference: its contents beside the text on a wide screen, before it
 * on a phone.
 */
export function referencePage(markdown: string): string {
  const parser = new Parser({ renderer: new PageRenderer() });
  const { introduction, sections } = divided(new Lexer().lex(markdown));
  const contents = contentsOf(sections);
  return `<a class="skip" href="#text">Skip to the text</a>
<div class="columns">
<nav class="side" aria-label="Contents">${contents}</nav>
<details class="top"><summary>Contents</summary><nav id="contents" aria-label="Contents">${contents}</nav></details>
<main id="text" tabindex="-1">
${parser.parse(introduction)}
${sections.map((section) => foldedSection(section, parser)).join('\n')}
</main>
</div>
<a class="back" href="#contents">Contents</a>`;
}

interface Section {
  readonly title: string;
  readonly content: Token[];
}

class PageRenderer extends Renderer {
  override heading({ depth, text }: Tokens.Heading): string {
    return `<h${depth} id="${anchorOf(text)}">${escaped(text)}</h${depth}>\n`;
  }

  override table(token: Tokens.Table): string {
    return `<div class="wide">${super.table(token)}</div>\n`;
  }

  /** The keyboard can scroll only what has the focus. */
  override code({ text }: Tokens.Code): string {
    return `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`;
  }
}

function divided(tokens: readonly Token[]) {
  const introduction: Token[] = [];
  const sections: Section[] = [];
  for (const token of tokens) {
    if (isHeading(token) && token.depth === 2) sections.push({ title: token.text, content: [] });
    else (sections.at(-1)?.content ?? introduction).push(token);
  }
  return { introduction, sections };
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading';
}

/**
 * A section's anchor is in its content, because browsers open what hides the target of a link, but not
 * what the target itself folds: all engines since Safari 26.2
 * (https://html.spec.whatwg.org/multipage/interaction.html#ancestor-revealing-algorithm). A search of the
 * page opens sections, too. The style opens all for print.
 */
function foldedSection({ title, content }: Section, parser: Parser): string {
  return `<details class="section"><summary><h2>${escaped(title)}</h2></summary>
<div id="${anchorOf(title)}">
${parser.parse(content)}</div></details>`;
}

/** The headings below the title as nested lists of links. */
function contentsOf(sections: readonly Section[]): string {
  const items = sections.map(({ title, content }) => {
    const parts = content.filter(isHeading);
    const nested = parts.map(({ text }) => `<li>${contentsLink(text)}</li>`).join('');
    return `<li>${contentsLink(title)}${nested === '' ? '' : `<ul>${nested}</ul>`}</li>`;
  });
  return `<ul>${items.join('')}</ul>`;
}

function contentsLink(heading: string): string {
  return `<a href="#${anchorOf(heading)}">${escaped(heading.replace(/ type$/, ''))}</a>`;
}
