"""All rows of the wall, by name."""

from __future__ import annotations

from .contact_rows import CONTACT_ROWS
from .mjcf_rows import MJCF_ROWS
from .row import Row
from .urdf_rows import URDF_ROWS

ROWS: tuple[Row, ...] = (*MJCF_ROWS, *CONTACT_ROWS, *URDF_ROWS)
