"""Computes the target, soil organic carbon density (kg/m³), and its error from organic matter.

The coarse fraction is assumed to be 0: these are clays of a flood plain, and the data report no stones.
"""

from __future__ import annotations

import numpy as np

# Van Bemmelen's factor: organic matter is 58 % carbon.
VAN_BEMMELEN = 1.724
# Standard deviation of the bulk density curve's error at a sample (t/m³): an assumption.
BULK_DENSITY_SD = 0.15
# The share of this error's variance that all soils of the area have in common, because the curve was fitted elsewhere.
# It is also an assumption, because these data cannot separate the shared part from the rest.
SHARED_VARIANCE = 0.5


def bulk_density(om: np.ndarray) -> np.ndarray:
    """Computes the bulk density (t/m³) from organic matter (%) by the CBAV/OBIC curve for Dutch clay soils."""
    return 1.33932 - 0.060395 * om + 0.0031471 * om**2 - 7.792e-5 * om**3 + 6.7e-7 * om**4


def carbon_density(om: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Computes the carbon density (g/kg of carbon × t/m³ = kg/m³) and the standard deviation of its error."""
    carbon = 10 * om / VAN_BEMMELEN
    return carbon * bulk_density(om), carbon * BULK_DENSITY_SD


def systematic_relative_sd(om: np.ndarray) -> float:
    """Computes the relative standard deviation of the error that all soils share, as a mean over the samples."""
    return float(np.sqrt(SHARED_VARIANCE) * np.mean(BULK_DENSITY_SD / bulk_density(om)))
