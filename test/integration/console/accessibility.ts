import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Lists violations of WCAG 2.2 AA and best practices that axe-core finds in the page, in light and dark mode. */
export async function findViolations(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // The browser's debugger evaluates axe, because the content policy does not restrict the debugger.
    await page.evaluate(AXE);
    const violations: readonly Violation[] = await page.evaluate(
      `axe.run({ runOnly: ${JSON.stringify(RULES)}, resultTypes: ['violations'] })
        .then(({ violations }) => violations)`,
    );
    for (const { id, nodes } of violations) {
      for (const { target, failureSummary } of nodes) {
        found.push(`${colorScheme} ${id} ${target.join(' ')}: ${failureSummary}`);
      }
    }
  }
  return found;
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly {
    readonly target: readonly string[];
    readonly failureSummary: string;
  }[];
}

/**
 * Measures how far the page extends beyond the right edge of a window that is 320 pixels wide, like one of 1280 pixels
 * at a zoom of 400 % (WCAG 2.2, 1.4.10). Tables may scroll in their own frame.
 */
export async function measureOverflowAt320(page: Page): Promise<number> {
  const before = page.viewportSize() ?? { width: 1200, height: 800 };
  await page.setViewportSize({ width: 320, height: 640 });
  const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  await page.setViewportSize(before);
  return Number(overflow);
}

const SMALL_TARGETS = `[...document.querySelectorAll('button, a, select, input:not([type=file]), summary')]
  .filter((control) => control.checkVisibility())
  .flatMap((control) => {
    const { width, height } = (control.closest('label:has(> :is([type=checkbox], [type=radio]))') ?? control)
      .getBoundingClientRect();
    // Content that is only for screen readers is a pixel wide.
    const isSmall = width > 1 && (width < 44 || height < 44);
    return isSmall ? [control.textContent + ' ' + width + ' × ' + height] : [];
  })`;

/** Lists controls whose touch target is smaller than 44 × 44 pixels (WCAG 2.2, 2.5.5). */
export async function findSmallTargets(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: true });
  const found: readonly string[] = await page.evaluate(SMALL_TARGETS);
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: false });
  await session.detach();
  return found;
}

/**
 * Whether the map comes before the panel when it is above the panel, and after the panel when it is next to it.
 */
export async function isMapInVisualOrder(page: Page, width: number): Promise<boolean> {
  const before = page.viewportSize() ?? { width: 1200, height: 800 };
  await page.setViewportSize({ width, height: 800 });
  const order: readonly string[] = await page.evaluate(`(async () => {
    // The page learns its new size in the next frame.
    await new Promise(requestAnimationFrame);
    const panes = [...document.querySelectorAll('#map, #page')];
    const place = (pane) => { const { x, y } = pane.getBoundingClientRect(); return x + y; };
    const seen = panes.toSorted((a, b) => place(a) - place(b));
    return [panes, seen].map((list) => list.map(({ id }) => id).join(' '));
  })()`);
  await page.setViewportSize(before);
  return order[0] === order[1];
}

const FOCUSED = `(() => {
  const element = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  const { width, height } = element.getBoundingClientRect();
  const name = element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent
    ?? element.textContent;
  const ring = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && width > 1 && height > 1;
  return { name: name.trim(), ring };
})()`;

/**
 * Presses Tab until the control with this name has the focus. @throws if a control on the way has no focus ring
 */
export async function tabTo(page: Page, wanted: string | RegExp): Promise<void> {
  const passed: string[] = [];
  while (passed.length < 60) {
    await page.keyboard.press('Tab');
    const { name, ring }: { name: string; ring: boolean } = await page.evaluate(FOCUSED);
    if (name !== '' && !ring) throw new Error(`the focus on ${name} is not visible`);
    if (typeof wanted === 'string' ? name.startsWith(wanted) : wanted.test(name)) return;
    passed.push(name);
  }
  throw new Error(`Tab does not reach ${wanted}, only ${passed.join(', ')}`);
}

export async function waitForFocusedHeading(page: Page, text: string): Promise<void> {
  await page.locator('h1:focus', { hasText: text }).waitFor();
}
