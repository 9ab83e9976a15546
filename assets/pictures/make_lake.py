#!/usr/bin/env python3
"""Paints lake.png beside it: a sunset over a lake, of shapes alone, in regions that a patch falls into clearly."""
import math
import pathlib
import struct
import zlib

WIDTH, HEIGHT, SAMPLES = 256, 160, 3
SHORE = 102


def mix(a, b, t):
    t = max(0.0, min(1.0, t))
    return tuple(x + (y - x) * t for x, y in zip(a, b))


def far_hills(x):
    return 78 - 17 * math.exp(-((x - 60) / 34) ** 2) - 27 * math.exp(-((x - 205) / 40) ** 2) - 3 * math.sin(x / 9)


def near_hills(x):
    return 93 - 9 * math.sin((x + 30) / 37) - 2 * math.sin(x / 6)


def land(x, y):
    """The colour above the shore."""
    sun = math.hypot(x - 120, y - 58)
    colour = mix((38, 46, 110), (250, 152, 94), (y / 92) ** 1.2)
    colour = mix((255, 214, 130), colour, sun / 62) if sun < 62 else colour
    for star_x, star_y in ((18, 14), (52, 8), (84, 22), (171, 11), (203, 24), (238, 9), (30, 36), (222, 40)):
        if math.hypot(x - star_x, y - star_y) < 1.1:
            colour = (255, 250, 224)
    if sun < 19:
        colour = (255, 240, 178)
    if y > far_hills(x):
        colour = mix((112, 74, 138), (158, 88, 128), (y - 50) / 45)
    if y > near_hills(x):
        colour = mix((38, 84, 82), (58, 118, 88), (y - 84) / 18)
    if 186 < x < 214 and 82 < y < SHORE - 3:
        colour = (246, 226, 190)
        if (190 < x < 196 or 204 < x < 210) and 87 < y < 93:
            colour = (255, 186, 60)
        if 198 < x < 202 and y > 90:
            colour = (110, 58, 40)
    if 68 < y <= 82 and abs(x - 200) < (y - 68) * 1.3:
        colour = (196, 52, 48)
    for tree, height in ((24, 46), (40, 36), (232, 40)):
        if abs(x - tree) < 1.6 and SHORE - 10 < y < SHORE:
            colour = (66, 42, 36)
        top = SHORE - height
        if top < y < SHORE - 8 and abs(x - tree) < 1.5 + ((y - top) % 12) * 0.55 + (y - top) * 0.14:
            colour = (18, 58, 56)
    return colour


def painted(x, y):
    if y < SHORE:
        return land(x, y)
    deep = (y - SHORE) / (HEIGHT - SHORE)
    wave = 2.2 * math.sin(y * 1.1 + 2 * math.sin(x / 23)) * deep
    colour = mix(land(min(max(x + wave * 3, 0), WIDTH), SHORE - (y - SHORE) * 1.45), (22, 52, 104), 0.32 + 0.4 * deep)
    if abs(x - 78) < 17 - (y - 128) * 0.8 and 128 < y < 136:
        colour = (92, 44, 36)
    if 96 < y <= 127 and 0 < x - 79 < (y - 96) * 0.55:
        colour = (252, 246, 232)
    return colour


rows = bytearray()
for row in range(HEIGHT):
    rows.append(0)
    for column in range(WIDTH):
        total = [0.0, 0.0, 0.0]
        for i in range(SAMPLES * SAMPLES):
            sample = painted(column + (i % SAMPLES + 0.5) / SAMPLES, row + (i // SAMPLES + 0.5) / SAMPLES)
            total = [t + s for t, s in zip(total, sample)]
        rows += bytes(round(t / SAMPLES**2) for t in total)


def chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0))
png += chunk(b"IDAT", zlib.compress(bytes(rows), 9)) + chunk(b"IEND", b"")
pathlib.Path(__file__).with_name("lake.png").write_bytes(png)
