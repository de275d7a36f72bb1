/** From what a request came to, to a verdict. */
import type { Finding } from '../model/probe-report.ts';

/** Why no response came. */
export interface Failure {
  /** `lost`: time-outs, resets, and whatever is not HTTP. */
  readonly kind: 'refused' | 'certificate' | 'blocked' | 'lost';
  readonly reason: string;
}

/** What became of the last request for a website. */
export type Outcome =
  | { readonly kind: 'no-address'; readonly reason: string }
  | { readonly kind: 'no-resolver'; readonly reason: string }
  | { readonly kind: 'closed-address'; readonly address: string }
  /** One for https, one for http where that was tried. */
  | { readonly kind: 'failed'; readonly failures: readonly Failure[] }
  | { readonly kind: 'elsewhere'; readonly to: string }
  | { readonly kind: 'impossible-redirect'; readonly reason: string }
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** Whether the text to look for is there; undefined where none is looked for. */
      readonly hasText?: boolean | undefined;
      /** Why not all of the body could be searched. */
      readonly unread?: string | undefined;
      /** It broke off, rather than being unreadable. */
      readonly isCut?: boolean | undefined;
    };

export type Judgment = Pick<Finding, 'verdict' | 'reason'>;

export function judge(outcome: Outcome): Judgment {
  switch (outcome.kind) {
    case 'no-address':
      return { verdict: 'no-dns', reason: outcome.reason };
    case 'no-resolver':
      return { verdict: 'no-answer', reason: outcome.reason };
    case 'closed-address':
      return { verdict: 'blocked', reason: `${outcome.address} is not a public address` };
    case 'elsewhere':
      return { verdict: 'redirects', reason: `redirects to ${outcome.to}` };
    case 'impossible-redirect':
      return { verdict: 'error', reason: outcome.reason };
    case 'failed':
      return judgeFailures(outcome.failures);
    case 'answer':
      return judgeAnswer(outcome);
  }
}

function judgeFailures(failures: readonly Failure[]): Judgment {
  const of = (kind: Failure['kind']): Failure | undefined => failures.find((one) => one.kind === kind);
  const certificate = of('certificate');
  if (certificate !== undefined) return { verdict: 'error', reason: certificate.reason };
  const blocked = of('blocked');
  if (blocked !== undefined) return { verdict: 'blocked', reason: blocked.reason };
  const lost = of('lost');
  if (lost !== undefined) return { verdict: 'no-answer', reason: lost.reason };
  return { verdict: 'refused', reason: failures[0]?.reason ?? '' };
}

function judgeAnswer({ status, hasText, unread, isCut }: Extract<Outcome, { kind: 'answer' }>): Judgment {
  if (status >= 400) return { verdict: 'error', reason: `HTTP ${status}` };
  if (hasText !== false) return { verdict: 'ok', reason: '' };
  if (isCut) return { verdict: 'no-answer', reason: unread ?? '' };
  return { verdict: 'no-code', reason: unread ?? 'the text is not in the HTML' };
}
