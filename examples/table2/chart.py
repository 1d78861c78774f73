# SPDX-License-Identifier: Apache-2.0
"""Draws a line chart as SVG, with only the standard library."""

import html
import math

COLOURS = ["#2a78b8", "#d95f02", "#3a9d5d", "#b03a8c", "#806040", "#505050"]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 400, 70, 16, 34, 54


def ticks(low, high, log):
    if log:
        return [2.0**n for n in range(math.ceil(math.log2(low)), math.floor(math.log2(high)) + 1)]
    step = 10 ** math.floor(math.log10((high - low) / 4))
    step *= next(factor for factor in (1, 2, 5, 10) if (high - low) / (step * factor) <= 6)
    return [step * n for n in range(math.ceil(low / step), math.floor(high / step) + 1)]


def line_chart(title, x_title, y_title, lines, log_x=False, y_range=None, legend=(WIDTH - 210, TOP + 14)):
    """Returns the SVG. `lines`: (name, [(x, y)] or [(x, y, y from, y to)]); lines of few points get marks and bars."""
    points = [point for _, line in lines for point in line]
    xs = [point[0] for point in points]
    ys = [value for point in points for value in point[1:]]
    x_low, x_high = min(xs), max(xs)
    y_low, y_high = y_range or (min(ys), max(ys))
    if x_high <= x_low:
        x_high = x_low + 1
    if y_high <= y_low:
        y_high = y_low + 1
    if not y_range:
        y_low, y_high = y_low - 0.05 * (y_high - y_low), y_high + 0.05 * (y_high - y_low)

    def x_at(x):
        share = math.log(x / x_low) / math.log(x_high / x_low) if log_x else (x - x_low) / (x_high - x_low)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y_at(y):
        share = (min(max(y, y_low), y_high) - y_low) / (y_high - y_low)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    def text(x, y, words, **more):
        attributes = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in more.items())
        return f'<text x="{x:.1f}" y="{y:.1f}"{attributes}>{html.escape(str(words))}</text>'

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
           f'font-size="12"><rect width="100%" height="100%" fill="white"/>',
           text(WIDTH / 2, 20, title, text_anchor="middle", font_size=14),
           text(WIDTH / 2, HEIGHT - 12, x_title, text_anchor="middle"),
           text(0, 0, y_title, text_anchor="middle", transform=f"translate(16 {HEIGHT / 2}) rotate(-90)")]
    for y in ticks(y_low, y_high, False):
        out.append(f'<path d="M{LEFT} {y_at(y):.1f}H{WIDTH - RIGHT}" stroke="#dddddd"/>')
        out.append(text(LEFT - 6, y_at(y) + 4, f"{y:g}", text_anchor="end"))
    for x in ticks(x_low, x_high, log_x):
        out.append(f'<path d="M{x_at(x):.1f} {HEIGHT - BOTTOM}v5" stroke="black"/>')
        out.append(text(x_at(x), HEIGHT - BOTTOM + 18, f"{x:g}", text_anchor="middle"))
    for number, (name, line) in enumerate(lines):
        colour = COLOURS[number % len(COLOURS)]
        path = "".join(f'{"ML"[i > 0]}{x_at(point[0]):.1f} {y_at(point[1]):.1f}' for i, point in enumerate(line))
        out.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        if len(line) <= 12:
            for point in line:
                out.append(f'<circle cx="{x_at(point[0]):.1f}" cy="{y_at(point[1]):.1f}" r="3.5" fill="{colour}"/>')
                if len(point) == 4:
                    out.append(f'<path d="M{x_at(point[0]):.1f} {y_at(point[2]):.1f}V{y_at(point[3]):.1f}" '
                               f'stroke="{colour}"/>')
        at = legend[1] + 17 * number
        out.append(f'<path d="M{legend[0]} {at - 4}h20" stroke="{colour}" stroke-width="3"/>')
        out.append(text(legend[0] + 26, at, name))
    out.append(f'<path d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}" fill="none" stroke="black"/></svg>')
    return "\n".join(out) + "\n"
