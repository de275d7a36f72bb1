import type { Row } from './contest.ts';
import { type GrowthPoint, KINDS } from './growth.ts';
import type { Layer } from './layers.ts';
import type { Cost } from './process.ts';

/** One line per work, as a multiple of the floor of the same runs. */
export function goalsText(rows: readonly Row[]): string {
  return table(
    ['work', 'ratio', 'goal', '', 'ours', 'floor', 'CPU ratio', 'memory', 'goal', '', 'requests', 'load'],
    rows.map(({ title, ours, floor, goal, goalMb, requests, load }) => {
      const ratio = ours.seconds / floor.seconds;
      return [
        title,
        `${ratio.toFixed(2)} ×`,
        `${goal} ×`,
        verdict(ratio, goal),
        seconds(ours.seconds),
        `${seconds(floor.seconds)} (${floor.name})`,
        `${(ours.cpuSeconds / floor.cpuSeconds).toFixed(2)} ×`,
        megabytes(ours.peakMb),
        goalMb === undefined ? '' : megabytes(goalMb),
        goalMb === undefined ? '' : verdict(ours.peakMb, goalMb),
        requests ?? '',
        load.toFixed(1),
      ];
    }),
  );
}

function verdict(value: number, goal: number): string {
  return value <= goal ? 'met' : `**over by ${Math.ceil((value / goal - 1) * 100)} %**`;
}

export function growthText(points: readonly GrowthPoint[]): string {
  return table(
    ['records', 'listing floor', ...KINDS.flatMap((kind) => [`plan, ${kind.toUpperCase()}`, 'memory'])],
    points.map(({ count, floor, plans }) => [
      count.toLocaleString('en'),
      seconds(floor.seconds),
      ...KINDS.flatMap((kind) => {
        const ratio = plans[kind].seconds / floor.seconds;
        return [`${seconds(plans[kind].seconds)} (${ratio.toFixed(1)} ×)`, megabytes(plans[kind].peakMb)];
      }),
    ]),
  );
}

/** One line per layer, with those before it, also as a multiple of the first. */
export function layersText(layers: readonly Layer[]): string {
  const [floor] = layers as readonly [Layer, ...Layer[]];
  return table(
    ['creates are sent by', 'time', 'ratio', 'CPU', 'memory'],
    layers.map(({ title, cost }) => [
      title,
      seconds(cost.seconds),
      `${(cost.seconds / floor.cost.seconds).toFixed(2)} ×`,
      seconds(cost.cpuSeconds),
      megabytes(cost.peakMb),
    ]),
  );
}

export interface Step extends Cost {
  readonly name: string;
  readonly told: string;
}

export function stepsText(steps: readonly Step[]): string {
  return table(
    ['step', 'time', 'CPU', 'memory', 'shows'],
    steps.map(({ name, told, ...cost }) => [
      `\`${name}\``,
      seconds(cost.seconds),
      seconds(cost.cpuSeconds),
      megabytes(cost.peakMb),
      told,
    ]),
  );
}

function seconds(value: number): string {
  return `${value.toFixed(value < 1 ? 3 : 2)} s`;
}

function megabytes(value: number): string {
  return `${Math.round(value)} MB`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(3, title.length, ...rows.map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return `${[line(head), rule, ...rows.map(line)].join('\n')}\n`;
}
