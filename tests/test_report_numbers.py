from __future__ import annotations

import numpy as np
import pytest

from simparity.harness.engine import Resolution, Resolved, Soft
from simparity.harness.report.defaults import alike, side_by_side
from simparity.harness.report.figures import POINTS, thinned
from simparity.harness.report.quantity import plain, quantity, span, value_text

from .bench_report import SOFT, made_table


def resolution(law: Soft = SOFT, **values: Resolved) -> Resolution:
    return Resolution(table=made_table({"dt": 1e-3}) | values, contact_law=law)


def row(value: object, *, authored: object = None, unit: str = "1") -> Resolved:
    return Resolved(value=value, unit=unit, origin="default", native="opt.x", authored=authored)  # type: ignore[arg-type]


def test_resolved_tables_mark_what_differs_and_what_was_reinterpreted() -> None:
    table = side_by_side(
        "default",
        1e-3,
        {
            "alpha": resolution(cone=row("elliptic"), tolerance=row(1e-6, authored=1e-12), impratio=row(1.0)),
            "beta": resolution(cone=row("pyramidal"), tolerance=row(1e-6), impratio=row(1.0 + 1e-9)),
        },
    )
    marked = {line.name: line for line in table.marked}
    assert marked.keys() == {"cone", "tolerance"}
    assert marked["cone"].differs and not marked["tolerance"].differs and marked["tolerance"].reinterpreted
    assert marked["tolerance"].entries[0].asked == "asked 10⁻¹²"
    assert "impratio" in {line.name for line in table.equal}


def test_what_an_engine_does_not_have_is_a_word_and_no_difference() -> None:
    table = side_by_side("default", 1e-3, {"alpha": resolution(cone=row("elliptic")), "beta": resolution()})
    (line,) = [line for line in table.partial if line.name == "cone"]
    assert [entry.text for entry in line.entries] == ["elliptic", "absent"]


def test_alike_forgives_storage_in_32_bit() -> None:
    assert alike(0.1, float(np.float32(0.1))) and alike((0.0, -9.81), (0.0, float(np.float32(-9.81))))
    assert not alike(0.1, 0.1001) and not alike(True, 1.5) and alike("Euler", "euler")


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.00112, "m", "1.12\xa0mm"),
        (0.0009999, "m", "1\xa0mm"),
        (-4.5e-7, "m", "−450\xa0nm"),
        (253.1, "N", "253\xa0N"),
        (12_345.0, "N", "12.3\xa0kN"),
        (2.5291, "m/s", "2.53\xa0m/s"),
        (0.981, "N s", "981\xa0mN\xa0s".replace("\xa0s", " s")),
        (1.6e-4, "kg m^2", "1.6×10⁻⁴\xa0kg m²"),
        (0.0, "m", "0"),
        (float("nan"), "m", "–"),
        (None, "m", "–"),
    ],
)
def test_quantities_read_well(value: float | None, unit: str, text: str) -> None:
    assert quantity(value, unit) == text


def test_plain_numbers_and_values() -> None:
    assert (plain(100.0), plain(1e-12), plain(123456.0), plain(0.5)) == ("100", "10⁻¹²", "1.23×10⁵", "0.5")
    assert value_text((0.0, 0.0, -9.81), "m/s^2") == "(0, 0, −9.81)\xa0m/s²"
    assert (value_text(True, ""), value_text("RK4", ""), value_text(None, "")) == ("on", "RK4", "–")


def test_thinning_keeps_the_peak_and_the_ends() -> None:
    y = np.zeros(10_001)
    y[5_003] = 1.0
    keep = thinned(np.arange(10_001.0), y)
    assert len(keep) <= POINTS + 2 and {0, 5_003, 10_000} <= set(keep.tolist())


def test_a_range_says_its_unit_once() -> None:
    assert span(0.0153, 0.0157, "m") == "15.3 to 15.7\xa0mm"
    assert span(9e-4, 1.2e-3, "m") == "900\xa0µm to 1.2\xa0mm"
    assert span(0.0, 1e-3, "m") == "0 to 1\xa0mm"
    assert span(3.0, 4.0, "1") == "3 to 4"
    assert span(0.5, 2.0, "N m") == "0.5 to 2\xa0N m"
