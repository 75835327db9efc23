"""colorsys: a color in other systems. A few branches on floats, no loops: the longest path is certain.

call: hls(float, float, float)
call: hsv(float, float, float)
call: round_trip(float, float, float)
"""

import colorsys


def hls(r: float, g: float, b: float):
    return colorsys.rgb_to_hls(r, g, b)


def hsv(r: float, g: float, b: float):
    return colorsys.rgb_to_hsv(r, g, b)


def round_trip(r: float, g: float, b: float):
    return colorsys.hls_to_rgb(*colorsys.rgb_to_hls(r, g, b))
