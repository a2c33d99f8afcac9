"""The target: soil organic carbon density (SOCD, kg/m³) from organic matter, and its error.

The coarse fraction is taken as none: these are clays of a flood plain, and the data give no stones.
"""

from __future__ import annotations

import numpy as np

# Van Bemmelen's factor: organic matter = 1.724 × organic carbon.
VAN_BEMMELEN = 1.724
# Standard deviation of a sample's bulk density around the curve (t/m³).
BULK_DENSITY_SD = 0.15
# The part of that variance that all soils of the area share, because the curve was fitted elsewhere.
# Nothing in these data separates the two parts: an assumption, like the 0.15.
SHARED_VARIANCE = 0.5


def organic_carbon(organic_matter: np.ndarray) -> np.ndarray:
    """SOC in g/kg from organic matter in %."""
    return 10 * organic_matter / VAN_BEMMELEN


def bulk_density(organic_matter: np.ndarray) -> np.ndarray:
    """t/m³ from organic matter in %: the CBAV/OBIC curve for Dutch clay soils."""
    om = organic_matter
    return 1.33932 - 0.060395 * om + 0.0031471 * om**2 - 7.792e-5 * om**3 + 6.7e-7 * om**4


def carbon_density(organic_matter: np.ndarray) -> np.ndarray:
    """SOCD in kg/m³: g/kg × t/m³."""
    return organic_carbon(organic_matter) * bulk_density(organic_matter)


def carbon_density_sd(organic_matter: np.ndarray) -> np.ndarray:
    """The bulk density's error propagated to SOCD (kg/m³, one standard deviation)."""
    return organic_carbon(organic_matter) * BULK_DENSITY_SD


def systematic_relative_sd(organic_matter: np.ndarray, shared: float = SHARED_VARIANCE) -> float:
    """The shared part of the bulk density's error as a share of SOCD: the mean over the samples."""
    relative = BULK_DENSITY_SD / bulk_density(organic_matter)
    return float(np.sqrt(shared) * np.mean(relative))
