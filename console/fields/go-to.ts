import { fill, h, listen } from '../element.ts';
import { LATITUDE_FIRST, LONGITUDE_FIRST, type Place, parsePlace } from '../files/place.ts';
import type { Bounds } from '../map/bounds.ts';
import { findModelsAt } from '../map/coverage.ts';
import { placeMark } from '../map/keyboard-reading.ts';
import type { Session } from '../state/session.ts';
import { TEXTS } from '../texts.ts';

/** Degrees that the map shows on each side of a place: about 2 km of latitude. */
const AROUND = 0.02;

export function goToForm({ map, models }: Session) {
  const input = h('input', {
    id: 'place',
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: TEXTS.goTo.example,
    'aria-describedby': 'place-error',
  });
  const error = h('p', { id: 'place-error', role: 'alert', class: 'error' });
  const found = h('p', { role: 'status', class: 'muted' });
  const mark = placeMark(map);
  const show = (place: Place | null) => {
    mark.show(place);
    fill(error, place === null ? TEXTS.goTo.unknown : null);
    if (place === null) return fill(found);
    const [lon, lat] = place;
    const covering = findModelsAt(models, place).map(({ title }) => title);
    fill(found, TEXTS.goTo.found(lat, lon, covering));
    map.fit(boundsAround(place));
  };
  const form = h(
    'form',
    {},
    h(
      'div',
      { class: 'row' },
      h('label', { for: 'place' }, TEXTS.goTo.label, input),
      h('button', { type: 'submit' }, TEXTS.goTo.go),
    ),
    error,
    found,
  );
  listen(form, {
    submit: (event) => {
      event.preventDefault();
      // Coordinates copied from map sites start with the latitude. A number beyond 90 must be a longitude.
      show(parsePlace(input.value, LATITUDE_FIRST) ?? parsePlace(input.value, LONGITUDE_FIRST));
      input.focus();
    },
  });
  return { element: form, leave: mark.remove };
}

function boundsAround([lon, lat]: Place): Bounds {
  const [south, north] = [Math.max(lat - AROUND, -90), Math.min(lat + AROUND, 90)];
  return [lon - AROUND, south, lon + AROUND, north];
}
