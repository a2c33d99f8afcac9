import { askToConfirm } from './confirm.ts';
import { button, fill, h } from './element.ts';
import { removeSubmissions } from './estimate/submissions.ts';
import { polygonsOf } from './fields/draft.ts';
import { fieldsPage } from './fields/fields-page.ts';
import { keepDraft, restoreDraft } from './fields/kept-draft.ts';
import { askForNewKey, type SignInResult } from './key.ts';
import type { Background } from './map/background.ts';
import { computeCoveredBounds } from './map/bounds.ts';
import { soilMap } from './map/soil-map.ts';
import { NARROW } from './media.ts';
import type { KeptKey } from './state/kept-key.ts';
import { explainError, explainWait } from './state/messages.ts';
import { formatAddress, parseRoute, type Route } from './state/routes.ts';
import type { Draft, KeySession, PageView, Session } from './state/session.ts';
import { store } from './state/store.ts';
import { TEXTS } from './texts.ts';

/** The page once a key is accepted: a bar, the panel of the current page, and the map next to it. */
export function openConsole(
  first: SignInResult,
  backgrounds: readonly Background[],
  key: KeptKey,
): Node {
  const { baseUrl, models } = first;
  const wait = h('p', { class: 'wait', role: 'status' });
  let isAsking = false;
  const use = ({ client, limits, waiting, onRefusal }: SignInResult): KeySession => {
    waiting.watch((now) => fill(wait, now === null ? null : explainWait(now)));
    onRefusal(async () => {
      if (isAsking || client !== session.client) return;
      isAsking = true;
      const accepted = await askForNewKey(new URL(baseUrl), key);
      isAsking = false;
      if (accepted === null) return;
      Object.assign(session, use(accepted));
      session.draft.change((now) => ({ ...now, faults: new Map() }));
      open();
    });
    return {
      client,
      limits,
      polygons: new Map(),
      completed: new Map(),
      displayRanges: new Map(),
    };
  };
  const session: Session = {
    ...use(first),
    baseUrl,
    models,
    map: soilMap(models, backgrounds),
    draft: store<Draft>(restoreDraft(models)),
    go: (route) => {
      location.hash = formatAddress(route);
    },
  };
  const navigation = h('nav', { 'aria-label': TEXTS.navigation });
  const panel = h('main', { id: 'page', class: 'panel', tabindex: -1 });
  let current: PageView | null = null;

  const open = async () => {
    const route = parseRoute(location.hash);
    current?.leave();
    current = null;
    fill(navigation, buildLinks(route));
    const page = await pageAt(route, session).catch(failedPage);
    // Another page may have been opened while this one was loading.
    if (formatAddress(parseRoute(location.hash)) !== formatAddress(route)) return page.leave();
    current = page;
    document.title = `${page.title} – ${TEXTS.title}`;
    fill(panel, page.content);
    focusHeading(panel);
  };
  addEventListener('hashchange', open);
  const fields = keepFields(session);
  session.map.fit(computeCoveredBounds(polygonsOf(session.draft.get().fields), models));
  open();
  const signOut = async () => {
    if (!(await fields.mayBeRemoved())) return;
    fields.remove();
    removeSubmissions();
    key.write(null);
    location.reload();
  };

  const content = document.createDocumentFragment();
  content.append(
    button(TEXTS.skip, () => panel.focus(), { class: 'skip' }),
    h(
      'header',
      { class: 'bar' },
      h('strong', {}, TEXTS.title),
      navigation,
      button(TEXTS.key.signOut, signOut, { class: 'quiet' }),
    ),
    wait,
    fields.warning,
    panes(panel, session.map.element),
  );
  return content;
}

/** If the tab cannot keep the fields, the browser asks before the user leaves this page. */
function keepFields({ draft }: Session) {
  const warning = h('p', { class: 'unkept', role: 'status' });
  let isKept = true;
  const countUnsent = () => {
    const { fields, submitted } = draft.get();
    return fields === submitted ? 0 : fields.length;
  };
  const kept = keepDraft(draft, (now) => {
    isKept = now;
    fill(warning, now ? null : TEXTS.fields.notKept);
  });
  addEventListener('beforeunload', (event) => {
    if (!isKept && countUnsent() > 0) event.preventDefault();
  });
  // On a page that accepts no files, the browser would leave the console to show a dropped file.
  for (const type of ['dragover', 'drop']) {
    addEventListener(type, (event) => {
      if (event instanceof DragEvent && event.dataTransfer?.types.includes('Files')) {
        event.preventDefault();
      }
    });
  }
  return {
    warning,
    async mayBeRemoved(): Promise<boolean> {
      const unsent = countUnsent();
      if (unsent === 0) return true;
      const { signOutQuestion, signOut: agree, staySignedIn: refuse } = TEXTS.key;
      const question = { text: signOutQuestion(unsent), agree, refuse };
      return askToConfirm(question, new AbortController().signal);
    },
    remove() {
      isKept = true;
      kept.remove();
    },
  };
}

/** Focuses the heading, so that a screen reader announces the new page and Tab continues from its top. */
function focusHeading(panel: HTMLElement): void {
  const heading = panel.querySelector('h1');
  heading?.setAttribute('tabindex', '-1');
  (heading ?? panel).focus({ preventScroll: true });
  panel.scrollTop = 0;
  scrollTo(0, 0);
}

async function pageAt(route: Route, session: Session): Promise<PageView> {
  switch (route.page) {
    case 'fields':
      return fieldsPage(session);
    case 'estimate':
      return (await import('./estimate/estimate-page.ts')).estimatePage(session);
    case 'batch':
      return (await import('./progress/batch-page.ts')).batchPage(session, route.batchId);
    case 'result': {
      const { resultPage } = await import('./result/result-page.ts');
      return resultPage(session, route.batchId, route.jobId);
    }
    case 'history':
      return (await import('./history/history-page.ts')).historyPage(session);
  }
}

/**
 * Shows that a page's script did not load: the connection was lost, or a deployment replaced the script.
 * Some browsers load a failed script again only after a reload.
 */
function failedPage(reason: unknown): PageView {
  const title = TEXTS.errors.notLoaded;
  const message = h('p', { role: 'alert', class: 'error' }, explainError(reason));
  return { title, content: h('div', {}, h('h1', {}, title), message), leave() {} };
}

function buildLinks(current: Route): readonly HTMLElement[] {
  return (['fields', 'history'] as const).map((page) =>
    h(
      'a',
      { href: formatAddress({ page }), 'aria-current': describeCurrent(page, current) },
      TEXTS.pages[page],
    ),
  );
}

function describeCurrent(link: 'fields' | 'history', { page }: Route): 'page' | 'true' | null {
  if (page === link) return 'page';
  const section = page === 'fields' || page === 'estimate' ? 'fields' : 'history';
  return section === link ? 'true' : null;
}

/** Puts the panel and the map in their visual order, which Tab and screen readers follow. */
function panes(panel: HTMLElement, map: HTMLElement): HTMLElement {
  const element = h('div', { class: 'panes' }, panel, map);
  const order = () => {
    const focused = document.activeElement;
    if (NARROW.matches) element.prepend(map);
    else element.append(map);
    // Moving an element takes its focus away, although the user may only have turned the phone.
    if (focused instanceof HTMLElement && map.contains(focused)) {
      focused.focus({ preventScroll: true });
    }
  };
  NARROW.addEventListener('change', order);
  order();
  return element;
}
