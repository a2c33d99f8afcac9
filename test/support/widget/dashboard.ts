/** The page of a CloudWatch dashboard around a widget: its backgrounds, nothing of its scripts. */
const BACKGROUND = { light: '#ffffff', dark: '#161d26' } as const;

export function dashboardAround(widget: string, theme: 'light' | 'dark'): string {
  return `<!doctype html><html><body style="margin:14px;background:${BACKGROUND[theme]}">${widget}</body></html>`;
}
