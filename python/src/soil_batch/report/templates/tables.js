// Sorts and searches the tables. Without this script, they are in the order of the fields file.
const collator = new Intl.Collator('en', { numeric: true });
const number = (text) => Number.parseFloat(text.replaceAll(',', ''));

function compare(a, b) {
  if (a.matches('th')) return collator.compare(a.textContent, b.textContent);
  const [x, y] = [number(a.textContent), number(b.textContent)];
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
  return x - y;
}

for (const table of document.querySelectorAll('.sortable')) {
  // Each field has its own <tbody>, which includes its remarks.
  const fields = [...table.tBodies];
  const headers = [...table.tHead.rows[0].cells];
  headers.forEach((header, at) => {
    // Chromium does not repeat a header with a <button> on each printed page.
    const button = document.createElement('span');
    button.role = 'button';
    button.tabIndex = 0;
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      button.click();
    });
    button.addEventListener('click', () => {
      const down = header.ariaSort === 'ascending';
      for (const other of headers) other.ariaSort = null;
      header.ariaSort = down ? 'descending' : 'ascending';
      const cell = (field) => field.rows[0].cells[at];
      fields.sort((a, b) => (down ? compare(cell(b), cell(a)) : compare(cell(a), cell(b))));
      table.tHead.after(...fields);
    });
  });
  const search = table.closest('.scroll').previousElementSibling;
  const [input, output] = [search.querySelector('input'), search.querySelector('output')];
  search.hidden = false;
  input.addEventListener('input', () => {
    const wanted = input.value.trim().toLowerCase();
    for (const field of fields) {
      const texts = [...field.querySelectorAll('th, .text, .remark')];
      field.hidden = !texts.some((one) => one.textContent.toLowerCase().includes(wanted));
    }
    const shown = fields.filter((field) => !field.hidden).length;
    output.textContent = wanted ? `${shown} of ${fields.length}` : '';
  });
}
