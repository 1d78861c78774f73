// SPDX-License-Identifier: Apache-2.0
// Numbers as a person reads them, word for word as the window has them (batchscope/common/number_text.h): few significant
// digits, grouped thousands, times in the unit that fits.
import { locale, say } from "./say";

const dash = "–";

const formats: Intl.NumberFormat[] = []; // by decimals: to make one takes a hundred times as long as to use it

/** Formats a number with exactly so many decimals. */
export function fixed(value: number, decimals: number): string {
  formats[decimals] ??= new Intl.NumberFormat("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  return formats[decimals].format(value);
}

/** 7,214 */
export function count(value: number): string {
  return Number.isFinite(value) ? fixed(value, 0) : dash;
}

/** 10⁻⁵ */
export function power(exponent: number): string {
  return "10" + [...String(exponent)].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)])).join("");
}

/** 4,700  4.21  0.34  1.20 × 10⁻⁵; a dash for what is not a number. */
export function number(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || Number.isNaN(value)) return dash;
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const exponent = Math.floor(Math.log10(Math.abs(value)));
  if (exponent < -4 || exponent > 9) return `${fixed(value / 10 ** exponent, digits - 1)} × ${power(exponent)}`;
  if (value === Math.round(value) && Math.abs(value) < 1e4) return fixed(value, 0);
  if (exponent >= digits - 1) {
    // Whole numbers below ten thousand are exact; larger ones are rounded to what a person takes in.
    const unit = Math.abs(value) < 1e4 ? 1 : 10 ** (exponent - digits);
    return fixed(Math.round(value / unit) * unit, 0);
  }
  return fixed(value, digits - 1 - exponent);
}

/** 19 %; 98.4 % with three digits */
export function percent(fraction: number, digits = 0): string {
  return say("{} %", digits > 0 ? number(100 * fraction, digits) : fixed(100 * fraction, 0));
}

/** 45 s  61 min  3 h 20 min  2 days 4 h */
export function duration(seconds: number): string {
  const whole = Math.round(Math.max(0, seconds));
  if (whole < 90) return say("{} s", whole);
  const minutes = Math.floor((whole + 30) / 60);
  if (minutes < 100) return say("{} min", minutes);
  if (minutes < 48 * 60) return say("{} h {} min", Math.floor(minutes / 60), minutes % 60);
  return say("{} days {} h", Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24);
}

/** 9 ms  0.16 s  14.2 s  61 min */
export function pause(seconds: number): string {
  if (seconds >= 90) return duration(seconds);
  if (seconds < 0.1) return say("{} ms", fixed(1000 * seconds, 0));
  return say("{} s", fixed(seconds, seconds < 10 ? 2 : 1));
}

/** 0:07  36:41  2:05:10 */
export function clock(seconds: number): string {
  const whole = Math.round(Math.max(0, seconds));
  const two = (value: number) => String(value).padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  if (whole < 3600) return `${minutes}:${two(whole % 60)}`;
  return `${Math.floor(whole / 3600)}:${two(minutes % 60)}:${two(whole % 60)}`;
}

/** 41 MB  1.5 GB */
export function bytes(value: number): string {
  if (value < 1000) return say("{} bytes", fixed(value, 0));
  const units = ["kB", "MB", "GB", "TB"];
  let unit = 0;
  let scaled = value / 1000;
  for (; scaled >= 1000 && unit < units.length - 1; ++unit) scaled /= 1000;
  return `${fixed(scaled, scaled < 10 ? 1 : 0)} ${units[unit]}`;
}

/** 14:05, with the date where that is not today's. */
export function timeOfDay(secondsSince1970: number, withSeconds = false): string {
  const time = new Date(1000 * secondsSince1970);
  const second: Intl.DateTimeFormatOptions = withSeconds ? { second: "2-digit" } : {};
  const clockText = time.toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit", ...second });
  if (time.toDateString() === new Date().toDateString()) return clockText;
  return `${time.toLocaleDateString(locale, { day: "numeric", month: "short" })} ${clockText}`;
}

/** Returns the text with a capital as its first letter. What begins with a quotation mark, a person's own words, stays as it is. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** 1 replica, 3 replicas */
export function replicas(value: number): string {
  return value === 1 ? say("1 replica") : say("{} replicas", count(value));
}
