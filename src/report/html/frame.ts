/** The frame of every page: it asks the network for nothing, and its own policy forbids it to. */
import type { Digest } from '../../model/plan.ts';
import { SCRIPT, STYLE } from '../media/page.ts';
import { type Html, html, raw } from './markup.ts';

interface Framed {
  readonly title: string;
  readonly body: Html;
  /** SHA-256, for the policy that names the one style sheet and the one script. */
  readonly digest: Digest;
  /** Whether there is a search box, which takes a script. */
  readonly hasSearch?: boolean;
}

/** A self-contained page; foreign text in it only ever becomes text. */
export function framed({ title, body, digest, hasSearch = false }: Framed): string {
  const script = hasSearch ? html`<script>${raw(SCRIPT)}</script>\n` : raw('');
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${raw(policy(digest, hasSearch))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${raw(STYLE)}</style>
</head>
<body>
${body}${script}</body>
</html>
`;
  return page.markup;
}

/** Everything is forbidden but the page's own style and script, told by their digests (CSP 3, 6.7.3). */
function policy(digest: Digest, hasSearch: boolean): string {
  const source = (text: string): string => `'sha256-${Buffer.from(digest(text), 'hex').toString('base64')}'`;
  return [
    "default-src 'none'",
    `style-src ${source(STYLE)}`,
    ...(hasSearch ? [`script-src ${source(SCRIPT)}`] : []),
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}
