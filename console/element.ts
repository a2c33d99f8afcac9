export type Child = Node | string | number | null | readonly Child[];

/** Attributes by name. `true` sets an attribute without a value; `false` and null leave it out. */
export type Attributes = Readonly<Record<string, string | number | boolean | null>>;

export type Listeners = Readonly<Record<string, (event: Event) => void>>;

/** Attributes that could run code or restyle the page, so data must never choose these names. */
const CODE = /^(on|style$|srcdoc$)/i;
const ADDRESS = /^(href|src|action|formaction)$/i;

/** Strings become text nodes and are never parsed, so a hostile name is shown as text. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes,
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (CODE.test(name)) throw new Error(`h() must not set ${name}`);
    if (value === false || value === null) continue;
    if (ADDRESS.test(name) && !isHarmless(String(value))) continue;
    element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...flattenChildren(children));
  return element;
}

export function listen<Target extends EventTarget>(target: Target, listeners: Listeners): Target {
  for (const [event, listener] of Object.entries(listeners)) {
    target.addEventListener(event, listener);
  }
  return target;
}

export function button(
  label: Child,
  click: () => void,
  attributes: Attributes = {},
): HTMLButtonElement {
  return listen(h('button', { type: 'button', ...attributes }, label), { click });
}

export function fill(element: Element, ...children: readonly Child[]): void {
  element.replaceChildren(...flattenChildren(children));
}

function flattenChildren(children: readonly Child[]): readonly (Node | string)[] {
  return children.flatMap((child) => {
    if (child === null) return [];
    if (isList(child)) return flattenChildren(child);
    return [typeof child === 'number' ? String(child) : child];
  });
}

const isList = (child: Child): child is readonly Child[] => Array.isArray(child);

function isHarmless(address: string): boolean {
  const { protocol } = new URL(address, location.href);
  return ['http:', 'https:', 'blob:'].includes(protocol);
}
