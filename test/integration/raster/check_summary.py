"""Summarises a polygon over a raster with exactextract and a plain double sum in numpy.

Reads {"path", "polygon", "proj4", "correlation": {"nugget", "range"}, "z", "systematic", "touched"}
and prints {"area", "predicted", "mean", "standard_error", "lower", "upper"}: areas in hectares.
"""

import json
import sys

from field_cells import cells_of, interval_of

job = json.load(sys.stdin)
cells = cells_of(job)
interval = interval_of(job, cells["weight"], cells["values"], cells["places"])
print(json.dumps({"area": cells["area"], "predicted": cells["predicted"], **interval}))
