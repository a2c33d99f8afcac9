"""Computes the total of several fields as one double sum over all their cells.

Reads {"fields": [as check_summary.py], "correlation", "z", "systematic"} and prints the same fields as check_summary.py.
"""

import json
import sys

import numpy as np
from field_cells import cells_of, interval_of

total = json.load(sys.stdin)
fields = [cells_of(field) for field in total["fields"]]
predicted = sum(field["predicted"] for field in fields)
weight = np.concatenate([field["weight"] * field["predicted"] / predicted for field in fields])
values = {
    name: np.concatenate([field["values"][name] for field in fields])
    for name in fields[0]["values"]
}
places = np.concatenate([field["places"] for field in fields])
interval = interval_of(total, weight, values, places)
print(json.dumps({"area": sum(f["area"] for f in fields), "predicted": predicted, **interval}))
