/** Plots growth on two logarithmic axes, so that linear growth is a straight line. */
import { type GrowthPoint, KINDS } from './growth.ts';

const [WIDTH, HEIGHT] = [720, 400];
const [LEFT, RIGHT, TOP, BOTTOM] = [64, 40, 40, 48];

interface Line {
  readonly label: string;
  readonly kind: number;
  readonly points: readonly (readonly [count: number, seconds: number])[];
}

/** Colors follow the reader's light or dark mode. */
export function plotGrowth(points: readonly GrowthPoint[]): string {
  const lines: Line[] = [
    { label: 'listing alone', kind: 0, points: points.map(({ count, floor }) => [count, floor.seconds]) },
    ...KINDS.map((kind, index) => ({
      label: `plan from ${kind.toUpperCase()}`,
      kind: index + 1,
      points: points.map(({ count, plans }) => [count, plans[kind].seconds] as const),
    })),
  ];
  const x = scale(
    points.map(({ count }) => count),
    LEFT,
    WIDTH - RIGHT,
  );
  const y = scale(
    lines.flatMap((line) => line.points.map(([, seconds]) => seconds)),
    HEIGHT - BOTTOM,
    TOP,
  );
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Seconds that a plan without changes takes, by the number of records">`,
    STYLE,
    `<rect class="ground" width="${WIDTH}" height="${HEIGHT}" rx="6"/>`,
    ...x.ticks.map(
      (tick) =>
        `<path class="grid" d="M${x.at(tick)} ${TOP}V${HEIGHT - BOTTOM}"/><text x="${x.at(tick)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${tick.toLocaleString('en')}</text>`,
    ),
    ...y.ticks.map(
      (tick) =>
        `<path class="grid" d="M${LEFT} ${y.at(tick)}H${WIDTH - RIGHT}"/><text x="${LEFT - 8}" y="${y.at(tick) + 4}" text-anchor="end">${tick} s</text>`,
    ),
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 10}" text-anchor="middle">records</text>`,
    ...lines.flatMap((line, index) => drawn(line, index, x.at, y.at)),
    '</svg>',
  ].join('\n')}\n`;
}

const STYLE = `<style>
  text { font: 12px system-ui, sans-serif; fill: #444 }
  .ground { fill: #fff }
  .grid { stroke: #ddd; fill: none }
  .k0 { stroke: #777; fill: #777 } .k1 { stroke: #0b62c4; fill: #0b62c4 }
  .k2 { stroke: #b3470a; fill: #b3470a } .k3 { stroke: #137a3d; fill: #137a3d }
  path.line { fill: none; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #ccc }
    .ground { fill: #161b22 }
    .grid { stroke: #333b45 }
    .k0 { stroke: #9a9a9a; fill: #9a9a9a } .k1 { stroke: #6cb0ff; fill: #6cb0ff }
    .k2 { stroke: #ff9d5c; fill: #ff9d5c } .k3 { stroke: #5bd089; fill: #5bd089 }
  }
</style>`;

function drawn(
  { label, kind, points }: Line,
  index: number,
  x: (value: number) => number,
  y: (value: number) => number,
): string[] {
  const places = points.map(([count, seconds]) => [x(count), y(seconds)] as const);
  const left = LEFT + index * 150;
  const dash = kind === 0 ? ' stroke-dasharray="5 4"' : '';
  return [
    `<path class="line k${kind}"${dash} d="M${places.map((place) => place.join(' ')).join('L')}"/>`,
    ...places.map(([cx, cy]) => `<circle class="k${kind}" cx="${cx}" cy="${cy}" r="3"/>`),
    `<path class="line k${kind}"${dash} d="M${left} 20h24"/><text x="${left + 30}" y="24">${label}</text>`,
  ];
}

/** Marks powers of ten on a logarithmic axis from `from` to `to`. */
function scale(values: readonly number[], from: number, to: number) {
  const [low, high] = [
    Math.floor(Math.log10(Math.min(...values))),
    Math.ceil(Math.log10(Math.max(...values))),
  ];
  const at = (value: number): number =>
    Math.round((from + ((Math.log10(value) - low) / Math.max(1, high - low)) * (to - from)) * 10) / 10;
  const ticks = Array.from({ length: high - low + 1 }, (_, index) =>
    Number((10 ** (low + index)).toPrecision(1)),
  );
  return { at, ticks };
}
