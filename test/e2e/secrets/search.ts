import { formsOf } from './forms.ts';
import type { Find } from './places.ts';

/** @returns where each secret was found, and how it was written there */
export async function search(
  wanted: readonly string[],
  places: AsyncIterable<Find> | Iterable<Find>,
) {
  const forms = wanted.flatMap((secret) => formsOf(secret).map((form) => ({ secret, ...form })));
  const seen = new Map<Find['kind'], number>();
  const found: { readonly kind: Find['kind']; readonly where: string; readonly form: string }[] =
    [];
  for await (const { kind, where, bytes } of places) {
    seen.set(kind, (seen.get(kind) ?? 0) + 1);
    for (const form of forms) {
      if (bytes.includes(form.bytes)) found.push({ kind, where, form: form.name });
    }
  }
  return { seen, found };
}
