/** The part of GitHub's interface that our workflows use, on 127.0.0.1, with state for tests to read. */
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../listen.ts';

const MAX_BODY = 65_536;
const BOT = 'github-actions[bot]';

export interface Comment {
  readonly id: number;
  readonly issue: number;
  readonly login: string;
  body: string;
}

export interface Issue {
  readonly number: number;
  readonly labels: readonly string[];
  readonly title: string;
  body: string;
  state: 'open' | 'closed';
}

export interface Pull {
  readonly number: number;
  readonly merge_commit_sha: string;
  readonly merged_at: string | null;
  readonly head: { readonly sha: string };
}

/** A pull request that a workflow opened. */
export interface OpenedPull {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly head: string;
  readonly base: string;
  state: 'open' | 'closed';
}

export interface WorkflowRun {
  readonly id: number;
  readonly workflow: string;
  readonly head_sha: string;
  readonly status: 'success' | 'failure';
  readonly head_repository: { readonly full_name: string };
}

export interface FakeGitHub {
  readonly url: string;
  readonly token: string;
  readonly repository: string;
  readonly comments: Comment[];
  readonly issues: Issue[];
  readonly pulls: Pull[];
  readonly opened: OpenedPull[];
  readonly runs: WorkflowRun[];
  /** Every request so far, as `METHOD /path`. */
  readonly requests: string[];
  /** If set, every request gets this status. */
  broken?: number;
  /** The token may not write, as on a pull request from a fork. */
  readOnly: boolean;
}

type Body = Readonly<Record<string, unknown>>;

interface Answer {
  readonly status: number;
  readonly content: unknown;
}

export async function startFakeGitHub(): Promise<FakeGitHub> {
  const server = createServer(async (request, response) => {
    const { status, content } = await answer(request);
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(content));
  });
  const state: FakeGitHub = {
    url: `http://127.0.0.1:${await listen(server)}`,
    token: 'ghs_token-of-the-job',
    repository: 'example/websites',
    comments: [],
    issues: [],
    pulls: [],
    opened: [],
    runs: [],
    requests: [],
    readOnly: false,
  };

  async function answer(request: IncomingMessage): Promise<Answer> {
    const { method = 'GET', headers } = request;
    const url = new URL(request.url ?? '/', state.url);
    state.requests.push(`${method} ${url.pathname}${url.search}`);
    const body = JSON.parse((await text(request)) || '{}') as Body;
    if (state.broken !== undefined) return refusal(state.broken, 'Server Error');
    if (headers.authorization !== `Bearer ${state.token}`) return refusal(401, 'Bad credentials');
    if (url.pathname === '/graphql') return { status: 200, content: { data: { viewer: { login: BOT } } } };
    return route(state, method, url, body);
  }

  return state;
}

function route(state: FakeGitHub, method: string, url: URL, body: Body): Answer {
  if (method !== 'GET' && state.readOnly) return refusal(403, 'Resource not accessible by integration');
  if (String(body.body).length > MAX_BODY) return refusal(422, 'Body is too long');
  const path = url.pathname.replace(`/repos/${state.repository}`, '');
  const found = ROUTES.find((one) => one.method === method && one.path.test(path));
  const [, name = ''] = found?.path.exec(path) ?? [];
  return found?.answer(state, name, url.searchParams, body) ?? refusal(404, 'Not Found');
}

function refusal(status: number, message: string): Answer {
  return { status, content: { message } };
}

function changed(all: readonly { id?: number; number?: number }[], name: string, body: Body): Answer {
  const one = all.find(({ id, number }) => (id ?? number) === Number(name));
  return one === undefined ? refusal(404, 'Not Found') : { status: 200, content: Object.assign(one, body) };
}

interface Route {
  readonly method: string;
  readonly path: RegExp;
  readonly answer: (state: FakeGitHub, name: string, query: URLSearchParams, body: Body) => Answer;
}

const ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: /^\/issues\/(\d+)\/comments$/,
    answer({ comments }, number, query) {
      const [size, page] = [Number(query.get('per_page') ?? 30), Number(query.get('page') ?? 1)];
      const found = comments.filter(({ issue }) => issue === Number(number));
      const content = found
        .slice((page - 1) * size, page * size)
        .map(({ id, login, body }) => ({ id, body, user: { login } }));
      return { status: 200, content };
    },
  },
  {
    method: 'POST',
    path: /^\/issues\/(\d+)\/comments$/,
    answer({ comments }, number, _, body) {
      const comment = {
        id: 1000 + comments.length,
        issue: Number(number),
        login: BOT,
        body: String(body.body),
      };
      comments.push(comment);
      return { status: 201, content: comment };
    },
  },
  {
    method: 'PATCH',
    path: /^\/issues\/comments\/(\d+)$/,
    answer: ({ comments }, id, _, body) => changed(comments, id, body),
  },
  {
    method: 'GET',
    path: /^\/issues$/,
    answer({ issues }, _, query) {
      const label = query.get('labels') ?? '';
      const content = issues.filter(
        (issue) => issue.state === query.get('state') && issue.labels.includes(label),
      );
      return { status: 200, content };
    },
  },
  {
    method: 'POST',
    path: /^\/issues$/,
    answer({ issues }, _, __, body) {
      const issue: Issue = {
        number: 1 + issues.length,
        labels: body.labels as string[],
        title: String(body.title),
        body: String(body.body),
        state: 'open',
      };
      issues.push(issue);
      return { status: 201, content: issue };
    },
  },
  {
    method: 'PATCH',
    path: /^\/issues\/(\d+)$/,
    answer: ({ issues }, number, _, body) => changed(issues, number, body),
  },
  {
    method: 'GET',
    path: /^\/commits\/(\w+)\/pulls$/,
    answer({ pulls }, sha) {
      const content = pulls.filter(({ merge_commit_sha, head }) =>
        [merge_commit_sha, head.sha].includes(sha),
      );
      return { status: 200, content };
    },
  },
  {
    method: 'GET',
    path: /^\/pulls$/,
    answer({ opened, repository }, _, query) {
      const [owner] = repository.split('/');
      const content = opened.filter(
        ({ state, head }) => state === query.get('state') && `${owner}:${head}` === query.get('head'),
      );
      return { status: 200, content };
    },
  },
  {
    method: 'POST',
    path: /^\/pulls$/,
    answer({ opened }, _, __, body) {
      const { title, body: text, head, base } = body as Readonly<Record<string, string>>;
      const pull = { title, body: text, head, base, number: 20 + opened.length, state: 'open' } as OpenedPull;
      opened.push(pull);
      return { status: 201, content: pull };
    },
  },
  {
    method: 'PATCH',
    path: /^\/pulls\/(\d+)$/,
    answer: ({ opened }, number, _, body) => changed(opened, number, body),
  },
  {
    method: 'GET',
    path: /^\/actions\/workflows\/([\w.-]+)\/runs$/,
    answer({ runs }, workflow, query) {
      const workflow_runs = runs
        .filter((run) => run.workflow === workflow && run.status === query.get('status'))
        .filter((run) => [null, run.head_sha].includes(query.get('head_sha')))
        .reverse();
      return { status: 200, content: { total_count: workflow_runs.length, workflow_runs } };
    },
  },
];
