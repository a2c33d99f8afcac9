/** For the screen and for A4. */
export const STYLE = `
@page { size: A4; margin: 15mm 13mm; }
* { box-sizing: border-box; }
body { font: 15px/1.45 system-ui, sans-serif; color: #2b2622; background: #fff; max-width: 60rem; margin: 2rem auto; padding: 0 1.5rem; }
h1 { font-size: 1.7rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2rem 0 .6rem; border-bottom: 1px solid #d9d4cc; }
h2, h2 + p:has(+ figure) { break-after: avoid; }
small, footer, .note { color: #6a6057; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid #ece8e1; overflow-wrap: anywhere; }
th { font-weight: 600; font-size: .85em; }
td.n { font-variant-numeric: tabular-nums; white-space: nowrap; }
td.none { color: #6a6057; }
tr { break-inside: avoid; }
thead { display: table-header-group; }
tfoot { display: table-row-group; }
h2::first-letter, caption::first-letter, th::first-letter { text-transform: uppercase; }
caption { text-align: left; font-weight: 600; padding-bottom: .3rem; }
small { font-size: .85em; }
tbody th { font-weight: inherit; font-size: inherit; }
.totals { margin-bottom: 1.2rem; break-inside: avoid; }
.totals td.n { text-align: right; }
.fields, .failed, .accuracy, .digests { font-size: .85em; }
.fields tbody th, .failed tbody th { width: 18%; hyphens: none; overflow-wrap: break-word; }
.fields tr:has(+ .note) > * { border-bottom: none; }
.fields .note td { padding-left: 1.2rem; }
.alert { border: 3px solid #b3261e; background: #fdecea; padding: .2rem 1rem; margin: 1rem 0; overflow-wrap: anywhere; }
.alert h2 { border: none; margin: .6rem 0 0; color: #8c1d18; }
figure { margin: 1.5rem 0; break-inside: avoid; }
figcaption { font-weight: 600; margin-bottom: .4rem; }
svg { max-width: 100%; height: auto; border: 1px solid #ece8e1; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: 0 0 1rem; }
dt { color: #6a6057; } dd { margin: 0; }
.sources { font-size: .85em; padding-left: 1.2em; }
code { font-size: .85em; }
.digests td:first-child { width: 36%; }
.digests code { font-size: .78em; }
footer { margin-top: 2rem; font-size: .85em; }
@media print {
  body { font-size: 10pt; margin: 0; padding: 0; max-width: none; }
  th, td { padding: .15rem .4rem .15rem 0; }
  svg { max-height: 150mm; width: auto; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
