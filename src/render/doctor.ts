/** The findings of `websites doctor`, for a person and for a program. */
import type { Findings, Pin } from '../model/doctor-findings.ts';
import { type AnswerTrust, answersOf, type DoctorAnswer } from './doctor-answers.ts';
import { jsonDocument } from './json.ts';
import { prose } from './sanitize.ts';
import type { Style } from './style.ts';
import { hang, type Page, pad, pageOf, type RenderOptions, textOf, widestOf } from './text.ts';

export const DOCTOR_FORMAT = 'websites.doctor/1';

/** The document `websites.doctor/1`: the findings, and each answer with its trust. */
export function doctorJson(findings: Findings): string {
  const answers = answersOf(findings).map(({ meaning = null, ...answer }) => ({ ...answer, meaning }));
  return jsonDocument({ format: DOCTOR_FORMAT, ...findings, answers });
}

const LEGEND =
  'proven: tested. seen: responses showed it. doubtful: unreliable. unknown: reading cannot show it.';

/** Each answer with its trust, then the keys to set as YAML that can be pasted. */
export function doctorHuman(findings: Findings, options: RenderOptions): string {
  const page = pageOf(options);
  const { style } = page;
  const answers = answersOf(findings);
  const width = widestOf(answers.map(({ topic }) => topic)) + 2;
  return textOf([
    answers.flatMap((answer) => answerLines(answer, width, page)),
    [style.dim(LEGEND)],
    [style.strong('For the file:'), ...pinLines(findings.pins, style)],
  ]);
}

const TRUST_WIDTH = 'doubtful'.length + 2;

function answerLines(
  { topic, trust, finding, meaning }: DoctorAnswer,
  width: number,
  { style, width: room }: Page,
) {
  const label = pad(topic, width) + pad(trust, TRUST_WIDTH);
  const text = prose(meaning === undefined ? finding : `${finding}: ${meaning}`);
  const [first = '', ...rest] = hang(label, text, room);
  const painted = pad(topic, width) + paintOf(trust, style)(trust) + first.slice(width + trust.length);
  return [painted, ...rest];
}

function paintOf(trust: AnswerTrust, style: Style): (text: string) => string {
  if (trust === 'proven') return style.good;
  if (trust === 'seen') return (text) => text;
  return trust === 'doubtful' ? style.bad : style.warn;
}

/** What is settled as keys, what is left to the reader as comments. */
function pinLines(pins: readonly Pin[], { dim }: Style): string[] {
  const lines = pins.map(({ key, value, reason }) => ({
    text: value === null ? `# ${key}:` : `${key}: ${scalar(value)}`,
    reason,
  }));
  const width = widestOf(lines.map(({ text }) => text));
  return [
    pins.some(({ value }) => value !== null) ? 'service:' : '# service:',
    ...lines.map(({ text, reason }) => `  ${pad(text, width)}  ${dim(`# ${prose(reason)}`)}`),
  ];
}

/** A value as YAML has it: plain where it cannot be taken for anything else. */
function scalar(value: string): string {
  return /^(?:[a-z_]+|https?:\/\/[\w.:/[\]-]+)$/.test(value) ? value : JSON.stringify(value);
}
