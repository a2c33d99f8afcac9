/** Something of an account, or why it was not seen: its deployer may lack the permission to look. */
export type Seen<Fact> =
  | { readonly seen: true; readonly fact: Fact }
  | { readonly seen: false; readonly why: string };

export async function look<Fact>(read: () => Promise<Fact>): Promise<Seen<Fact>> {
  try {
    return { seen: true, fact: await read() };
  } catch (error) {
    return { seen: false, why: error instanceof Error ? error.message : String(error) };
  }
}
