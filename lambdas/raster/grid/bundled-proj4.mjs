// Stands in bundles for `proj4`, whose package brings every projection there is. Its parts have no
// names of their own in the package, and Node can't load them, only a bundler can: hence the paths. The list is
// that of `lambdas/model/pack/projections.ts`.
import proj4 from '../../../node_modules/proj4/lib/core.js';
import Proj from '../../../node_modules/proj4/lib/Proj.js';
import aea from '../../../node_modules/proj4/lib/projections/aea.js';
import aeqd from '../../../node_modules/proj4/lib/projections/aeqd.js';
import cass from '../../../node_modules/proj4/lib/projections/cass.js';
import cea from '../../../node_modules/proj4/lib/projections/cea.js';
import eqdc from '../../../node_modules/proj4/lib/projections/eqdc.js';
import etmerc from '../../../node_modules/proj4/lib/projections/etmerc.js';
import krovak from '../../../node_modules/proj4/lib/projections/krovak.js';
import laea from '../../../node_modules/proj4/lib/projections/laea.js';
import lcc from '../../../node_modules/proj4/lib/projections/lcc.js';
import moll from '../../../node_modules/proj4/lib/projections/moll.js';
import omerc from '../../../node_modules/proj4/lib/projections/omerc.js';
import poly from '../../../node_modules/proj4/lib/projections/poly.js';
import sinu from '../../../node_modules/proj4/lib/projections/sinu.js';
import somerc from '../../../node_modules/proj4/lib/projections/somerc.js';
import stere from '../../../node_modules/proj4/lib/projections/stere.js';
import sterea from '../../../node_modules/proj4/lib/projections/sterea.js';
import tmerc from '../../../node_modules/proj4/lib/projections/tmerc.js';
import utm from '../../../node_modules/proj4/lib/projections/utm.js';

// `longlat` and `merc` are there already.
for (const projection of [
  ...[tmerc, etmerc, utm, lcc, laea, aea, aeqd, eqdc, cea, sinu, moll],
  ...[stere, sterea, somerc, omerc, krovak, cass, poly],
]) {
  Proj.projections.add(projection);
}

proj4.defaultDatum = 'WGS84';

// biome-ignore lint/style/noDefaultExport: what it stands for has one
export default proj4;
