"""The target: soil organic carbon density (kg/m³) from organic matter, and its error.

The coarse fraction is taken as none: these are clays of a flood plain, and the data give no stones.
"""

from __future__ import annotations

import numpy as np

# Van Bemmelen's factor: organic matter is 58 % carbon.
VAN_BEMMELEN = 1.724
# Standard deviation of a sample's bulk density around the curve (t/m³): an assumption.
BULK_DENSITY_SD = 0.15
# The part of that variance that all soils of the area share, because the curve was fitted elsewhere:
# an assumption, too. Nothing in these data separates the two parts.
SHARED_VARIANCE = 0.5


def bulk_density(om: np.ndarray) -> np.ndarray:
    """t/m³ from organic matter in %: the CBAV/OBIC curve for Dutch clay soils."""
    return 1.33932 - 0.060395 * om + 0.0031471 * om**2 - 7.792e-5 * om**3 + 6.7e-7 * om**4


def carbon_density(om: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The density and its standard deviation: g/kg of carbon × t/m³."""
    carbon = 10 * om / VAN_BEMMELEN
    return carbon * bulk_density(om), carbon * BULK_DENSITY_SD


def systematic_relative_sd(om: np.ndarray) -> float:
    """The error that all soils share ÷ value: its mean over the samples."""
    return float(np.sqrt(SHARED_VARIANCE) * np.mean(BULK_DENSITY_SD / bulk_density(om)))
