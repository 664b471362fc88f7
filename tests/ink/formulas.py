"""Ink of our own that several tests read and draw."""

from san.ink import Box, Sheet
from san.ink.alphabet import compose


def fraction() -> Sheet:
    """x = 1/2 with its segmentation: five symbols, seven strokes, one of them a flat bar."""
    return compose(
        [
            ("x", Box(0, 30, 40, 70)),
            ("=", Box(60, 40, 100, 60)),
            (r"\frac", Box(120, 50, 180, 50)),
            ("1", Box(140, 0, 155, 40)),
            ("2", Box(135, 60, 165, 100)),
        ],
        truth=r"x = \frac{1}{2}",
    )


def quadratic() -> Sheet:
    """The sample of docs/ink.md."""
    return compose(
        [
            ("x", Box(0, 62, 34, 100)),
            ("=", Box(60, 74, 98, 90)),
            (r"\frac", Box(120, 82, 530, 82)),
            ("-", Box(130, 38, 158, 38)),
            ("b", Box(172, 10, 200, 60)),
            (r"\pm", Box(222, 20, 262, 58)),
            (r"\sqrt", Box(288, -8, 520, 66)),
            ("b", Box(350, 12, 376, 60)),
            ("2", Box(384, 4, 400, 26)),
            ("-", Box(412, 38, 440, 38)),
            ("4", Box(452, 14, 476, 60)),
            ("a", Box(480, 34, 500, 58)),
            ("c", Box(503, 34, 518, 58)),
            ("2", Box(290, 102, 314, 146)),
            ("a", Box(324, 118, 352, 146)),
        ],
        truth=r"x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}",
    )
