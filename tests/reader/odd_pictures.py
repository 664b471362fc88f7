"""Pictures that hold no formula, drawn by code: prose, an animal, an empty sheet, squares."""

import cv2
import numpy as np

from san.images.bitmap import Grey

WORDS = "the quick brown fox jumps over a lazy dog and then walks slowly home again".split()


def prose(rows: int = 900, columns: int = 700, seed: int = 0) -> Grey:
    """A page of print."""
    rng = np.random.default_rng(seed)
    page = np.full((rows, columns), 240, np.uint8)
    for y in range(60, rows - 40, 34):
        line = " ".join(rng.choice(WORDS, 7))
        cv2.putText(page, line, (40, y), cv2.FONT_HERSHEY_SIMPLEX, 0.6, 30, 2, cv2.LINE_AA)
    return page


def cat(side: int = 500, seed: int = 0) -> Grey:
    """Fur, two ears, two eyes, a nose and whiskers, on a blurred background."""
    rng = np.random.default_rng(seed)
    picture = cv2.resize(rng.uniform(60, 190, (9, 9)).astype(np.float32), (side, side))
    fur = cv2.GaussianBlur(rng.normal(0, 1, (side, side)).astype(np.float32), (0, 0), 2, sigmaY=6)
    head = np.zeros((side, side), np.float32)
    middle, unit = side // 2, side // 10
    cv2.circle(head, (middle, middle), 3 * unit, 1.0, -1)
    for way in (-1, 1):
        x = middle + way * 2 * unit
        ear = np.array([[x - unit, middle - 2 * unit], [x + unit, middle - 2 * unit]])
        tip = np.array([[x + way * unit // 2, middle - 5 * unit]])
        cv2.fillPoly(head, [np.concatenate([ear, tip]).astype(np.int32)], 1.0)
    picture = picture * (1 - head) + (120 + 160 * fur) * head
    for way in (-1, 1):
        cv2.circle(picture, (middle + way * unit, middle - unit // 2), unit // 2, 20.0, -1)
        for rise in (-10, 0, 10):
            start, end = (middle + way * unit, middle + unit), (middle + way * 4 * unit, middle)
            cv2.line(picture, start, (end[0], end[1] + unit + 2 * rise), 230.0, 2)
    cv2.circle(picture, (middle, middle + unit // 2), unit // 4, 60.0, -1)
    return np.clip(picture + rng.normal(0, 4, picture.shape), 0, 255).astype(np.uint8)


def squares(rows: int, columns: int, side: int = 40, line: int = 3) -> Grey:
    """Nothing but squared paper with bold lines, or, with thick lines, nothing but squares."""
    y, x = np.indices((rows, columns), sparse=True)
    return np.where((x % side < line) | (y % side < line), 60, 235).astype(np.uint8)
