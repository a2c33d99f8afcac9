import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';

/** The page of a CloudWatch dashboard around a widget: its backgrounds, nothing of its scripts. */
const BACKGROUND = { light: '#ffffff', dark: '#161d26' } as const;

export async function openBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    // In a single process the browser ends with its first page.
    args: chromium.args.filter((argument) => argument !== '--single-process'),
    headless: true,
  });
}

export function dashboardAround(widget: string, theme: 'light' | 'dark'): string {
  return `<!doctype html><html><body style="margin:14px;background:${BACKGROUND[theme]}">${widget}</body></html>`;
}
