import { Lexer, Parser, Renderer, type Token, type Tokens } from 'marked';
import { escapeHtml } from '../../http/html-page.ts';
import { anchorOf } from './markdown.ts';

export function referencePage(markdown: string): string {
  const parser = new Parser({ renderer: new PageRenderer() });
  const { introduction, sections } = splitIntoSections(new Lexer().lex(markdown));
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
    return `<h${depth} id="${anchorOf(text)}">${escapeHtml(text)}</h${depth}>\n`;
  }

  override table(token: Tokens.Table): string {
    return `<div class="wide">${super.table(token)}</div>\n`;
  }

  /** Makes code focusable, because the keyboard can scroll only the focused element. */
  override code({ text }: Tokens.Code): string {
    return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`;
  }
}

function splitIntoSections(tokens: readonly Token[]) {
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
 * The anchor is inside the content, because browsers open a `<details>` that hides the target of a link, but not a
 * `<details>` that is the target
 * (https://html.spec.whatwg.org/multipage/interaction.html#ancestor-revealing-algorithm).
 */
function foldedSection({ title, content }: Section, parser: Parser): string {
  return `<details class="section"><summary><h2>${escapeHtml(title)}</h2></summary>
<div id="${anchorOf(title)}">
${parser.parse(content)}</div></details>`;
}

function contentsOf(sections: readonly Section[]): string {
  const items = sections.map(({ title, content }) => {
    const parts = content.filter(isHeading);
    const nested = parts.map(({ text }) => `<li>${contentsLink(text)}</li>`).join('');
    return `<li>${contentsLink(title)}${nested === '' ? '' : `<ul>${nested}</ul>`}</li>`;
  });
  return `<ul>${items.join('')}</ul>`;
}

function contentsLink(heading: string): string {
  return `<a href="#${anchorOf(heading)}">${escapeHtml(heading.replace(/ type$/, ''))}</a>`;
}
