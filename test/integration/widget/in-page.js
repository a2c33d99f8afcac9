// Runs in the browser, beside the widget: what tests ask of a page as it is shown.
globalThis.inPage = {
  width: () => document.documentElement.scrollWidth,

  /** Tags and names of attributes, in order: what there is apart from text. */
  skeleton: () =>
    [...document.querySelectorAll('*')].map((element) =>
      [element.tagName, ...element.getAttributeNames()].join(' '),
    ),

  /** Texts whose contrast to what is behind them (WCAG 2.2, 1.4.3) is lower than wanted. */
  textsOfContrastBelow: (wanted) =>
    [...document.querySelectorAll('.board *')]
      .filter((element) => element.closest('svg, style, cwdb-action') === null)
      .filter((element) => [...element.childNodes].some(isText))
      .filter((element) => contrast(getComputedStyle(element).color, behind(element)) < wanted)
      .map((element) => element.outerHTML.slice(0, 120)),
};

function isText(node) {
  return node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== '';
}

function channels(colour) {
  return (colour.match(/[\d.]+/g) ?? []).map(Number);
}

function behind(element) {
  if (element === null) return 'rgb(255, 255, 255)';
  const colour = getComputedStyle(element).backgroundColor;
  return channels(colour)[3] === 0 ? behind(element.parentElement) : colour;
}

function contrast(one, other) {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour) {
  const [red, green, blue] = channels(colour).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
