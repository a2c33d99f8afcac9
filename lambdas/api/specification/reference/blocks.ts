/** One part of a document that is rendered as Markdown and as HTML. */
export type Block =
  | { readonly kind: 'heading'; readonly level: 1 | 2 | 3; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | {
      readonly kind: 'table';
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
      /** The page shows the table only when this is clicked. */
      readonly summary?: string;
    }
  | {
      readonly kind: 'code';
      readonly language: string;
      readonly text: string;
      /** As of a table. */
      readonly summary?: string;
    };

/** The anchor that GitHub gives a heading; the HTML page uses the same. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
