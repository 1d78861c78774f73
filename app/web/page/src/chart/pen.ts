// SPDX-License-Identifier: Apache-2.0
// A line through many points, drawn by fewer: one is left out while the straight line over it keeps within a part of a pixel
// of all that it passes. A canvas takes most of its time for each corner of a line.

const tolerance = 0.4; // device pixels, up and down

export interface Path {
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
}

export class Pen {
  private fromX = 0; // where the straight line begins
  private fromY = 0;
  private lowest = -Infinity; // slopes that keep within the tolerance of all points since
  private highest = Infinity;
  private x = 0; // the newest point
  private y = 0;
  private isHeld = false; // it is not drawn yet

  constructor(private readonly path: Path) {}

  moveTo(x: number, y: number): void {
    this.end();
    this.path.moveTo(x, y);
    this.begin(x, y);
  }

  /** Draws on to a point to the right of the one before. */
  lineTo(x: number, y: number): void {
    const slope = (y - this.fromY) / (x - this.fromX);
    if (this.isHeld && !(slope >= this.lowest && slope <= this.highest)) {
      this.path.lineTo(this.x, this.y);
      this.begin(this.x, this.y);
    }
    this.lowest = Math.max(this.lowest, (y - tolerance - this.fromY) / (x - this.fromX));
    this.highest = Math.min(this.highest, (y + tolerance - this.fromY) / (x - this.fromX));
    this.x = x;
    this.y = y;
    this.isHeld = true;
  }

  /** Draws what is held back. */
  end(): void {
    if (this.isHeld) this.path.lineTo(this.x, this.y);
    this.isHeld = false;
  }

  private begin(x: number, y: number): void {
    this.fromX = x;
    this.fromY = y;
    this.lowest = -Infinity;
    this.highest = Infinity;
  }
}
