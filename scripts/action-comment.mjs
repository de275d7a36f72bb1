/**
 * Writes a report as a comment on the pull request of this job, or of the merge that it runs for: `node
 * action-comment.mjs REPORT-FILE`. Updates its earlier comment, found by author and by the marker in its first line.
 * Reads COMMAND (plan or apply), COMMENT_NAME (separates the comments of several plans), REPORT_ARTIFACT, the outputs
 * CREATE, UPDATE, DELETE and EXIT_CODE of the plan, GITHUB_TOKEN and GitHub's own variables. A failure logs a notice or
 * warning and never fails the job. It needs Node alone: the action has no packages here.
 */
import { readFileSync } from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';
import { connect as secure } from 'node:tls';

const MAX_LENGTH = 65_536;
const PAGE = 100;
const MARKER = /^<!-- websites-as-code:[\w-]+ -->/;
/** The title, and the table of dangerous changes. */
const OPENING = /^## .*\n(?:\n(?:\|.*\n)+)?/m;
const NAME = /^[\w.-]{1,100}$/;
const SHA = /^[0-9a-f]{40,64}$/;

const { GITHUB_TOKEN, GITHUB_EVENT_PATH, GITHUB_REPOSITORY, GITHUB_API_URL, GITHUB_GRAPHQL_URL } =
  process.env;
const { GITHUB_EVENT_NAME, GITHUB_SHA, GITHUB_SERVER_URL, GITHUB_RUN_ID } = process.env;
const { COMMAND = 'plan', COMMENT_NAME, REPORT_ARTIFACT, EXIT_CODE } = process.env;
const repository = `${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}`;
const issues = `${repository}/issues`;
const what = COMMAND === 'apply' ? 'result' : 'plan';

try {
  await comment(readFileSync(process.argv[2], 'utf8'), JSON.parse(readFileSync(GITHUB_EVENT_PATH, 'utf8')));
} catch (error) {
  if ([401, 403, 404].includes(error.status)) {
    onlySummary(
      'notice',
      'this token may not write comments (on a pull request from a fork it never may; elsewhere grant "pull-requests: write").',
    );
  } else onlySummary('warning', `the comment could not be written (${error.message}).`);
}

async function comment(report, { pull_request }) {
  if (!MARKER.test(report)) return;
  if (COMMENT_NAME && !NAME.test(COMMENT_NAME))
    throw new Error('comment-name takes letters, digits, "_", "." and "-"');
  if (!GITHUB_TOKEN) return onlySummary('notice', 'there is no token to comment with.');
  const number = pull_request?.number ?? (what === 'result' ? await merged() : undefined);
  if (!Number.isInteger(number)) {
    const event = `the event ${GITHUB_EVENT_NAME} is not of a pull request`;
    const noMerge = what === 'result' ? ', and its commit is not the merge of one' : '';
    return onlySummary('notice', `${event}${noMerge}.`);
  }
  const marker = `<!-- websites-as-code:${what}${COMMENT_NAME ? ` ${COMMENT_NAME}` : ''} -->`;
  const body = report
    .replace(MARKER, marker)
    .replace(OPENING, (opening) => [opening, ...context(pull_request?.head?.sha ?? GITHUB_SHA)].join('\n'))
    .slice(0, MAX_LENGTH);
  const own = await find(number, marker);
  if (own === undefined) await request(`${issues}/${number}/comments`, 'POST', { body });
  else await request(`${issues}/comments/${own.id}`, 'PATCH', { body });
}

/** Returns the pull request whose merge created this commit. Returns nothing if a later push replaced it. */
async function merged() {
  const pulls = await request(`${repository}/commits/${GITHUB_SHA}/pulls`, 'GET');
  return pulls.find((pull) => pull.merged_at && pull.merge_commit_sha === GITHUB_SHA)?.number;
}

/** Adds facts that the report does not contain. */
function context(sha) {
  const home = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`;
  const run = `${home}/actions/runs/${GITHUB_RUN_ID}`;
  const links = [
    ...(SHA.test(sha)
      ? [`${what === 'plan' ? 'Plan of commit' : 'Commit'} [${sha.slice(0, 7)}](${home}/commit/${sha})`]
      : []),
    ...(/^\d+$/.test(GITHUB_RUN_ID) ? [`[Run](${run})`] : []),
    ...(REPORT_ARTIFACT ? [`[HTML report](${run}#artifacts)`] : []),
  ];
  return [...(what === 'plan' ? [`**Merging this** ${mergeWords()}\n`] : []), `${links.join(' · ')}\n`];
}

function mergeWords() {
  const { CREATE, UPDATE, DELETE } = process.env;
  if (EXIT_CODE === '5') return 'applies nothing: a guard blocks the plan.';
  if (EXIT_CODE !== '0' && EXIT_CODE !== '2') return 'applies nothing: the plan failed.';
  const words = [
    ...(CREATE > 0 ? [`creates ${count(CREATE, 'website')}`] : []),
    ...(UPDATE > 0 ? [`updates ${count(UPDATE, 'website')}`] : []),
    ...(DELETE > 0 ? [`deletes ${count(DELETE, 'record')} with all data`] : []),
  ];
  const last = words.pop() ?? 'changes nothing';
  return `${words.length > 0 ? `${words.join(', ')} and ` : ''}${last} on the service.`;
}

function count(number, noun) {
  return `${number} ${noun}${number === '1' ? '' : 's'}`;
}

/**
 * Accepts only comments of the token's own user, because others could edit theirs after the plan was written.
 */
async function find(number, marker) {
  const { data } = await request(GITHUB_GRAPHQL_URL, 'POST', { query: '{ viewer { login } }' });
  const login = data?.viewer?.login;
  if (typeof login !== 'string') throw new Error('GitHub does not tell whose token it is');
  for (let page = 1; ; page++) {
    const comments = await request(`${issues}/${number}/comments?per_page=${PAGE}&page=${page}`, 'GET');
    const own = comments.find(({ user, body }) => user?.login === login && body?.startsWith(marker));
    if (own !== undefined || comments.length < PAGE) return own;
  }
}

async function request(url, method, content) {
  const body = content && JSON.stringify(content);
  const { status, text } = await send(new URL(url), {
    method,
    headers: {
      Authorization: `Bearer ${GITHUB_TOKEN}`,
      Accept: 'application/vnd.github+json',
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body ?? ''),
      'User-Agent': 'websites-as-code',
    },
    body,
    signal: AbortSignal.timeout(30_000),
  });
  if (status >= 200 && status < 300) return JSON.parse(text);
  throw Object.assign(new Error(`${method} was answered with ${status}`), { status });
}

/** Uses the proxy of the environment. Follows no redirect, because the token must go only to one host. */
async function send(url, { body, ...options }) {
  const isSecure = url.protocol === 'https:';
  const socket = await tunnelTo(url, options.signal);
  const createConnection =
    socket && (() => (isSecure ? secure({ socket, servername: url.hostname }) : socket));
  const asked = (isSecure ? https : http).request(url, { ...options, ...(socket && { createConnection }) });
  const answer = await new Promise((resolve, reject) => {
    asked.on('response', resolve).on('error', reject).end(body);
  });
  let text = '';
  for await (const part of answer.setEncoding('utf8')) text += part;
  return { status: answer.statusCode, text };
}

/** Connects through the proxy (CONNECT); returns undefined without a proxy. */
async function tunnelTo(url, signal) {
  const proxy = proxyFor(url, process.env);
  if (proxy === undefined) return undefined;
  const { username, password, host } = proxy;
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString(
    'base64',
  );
  const path = `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`;
  const asked = http.request(proxy.origin, {
    method: 'CONNECT',
    path,
    headers: { Host: path, ...(username && { 'Proxy-Authorization': `Basic ${login}` }) },
    agent: false,
    signal,
  });
  const [answer, socket] = await new Promise((resolve, reject) => {
    asked
      .on('connect', (...given) => resolve(given))
      .on('error', reject)
      .end();
  }).catch(({ message }) => {
    throw new Error(`the proxy ${host} failed: ${message}`);
  });
  if (answer.statusCode >= 200 && answer.statusCode < 300) return socket;
  throw new Error(`the proxy ${host} answered ${answer.statusCode}`);
}

/** NO_PROXY lists hosts with their subdomains, with or without a port; `*` means every host. */
function proxyFor({ protocol, hostname, host }, env) {
  const variable = (name) => env[name.toLowerCase()] || env[name] || '';
  const text = variable(protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  const isExcepted = variable('NO_PROXY')
    .toLowerCase()
    .split(/[\s,]+/)
    .map((name) => name.replace(/^\*?\./, ''))
    .some((name) => name === '*' || (name && [hostname, host].some((own) => `.${own}`.endsWith(`.${name}`))));
  return text === '' || isExcepted ? undefined : new URL(text.includes('://') ? text : `http://${text}`);
}

function onlySummary(kind, reason) {
  const text = `The ${what} is in the job summary only: ${reason}`;
  console.log(`::${kind}::${text.replaceAll('%', '%25').replaceAll(/[\r\n]+/g, ' ')}`);
}
