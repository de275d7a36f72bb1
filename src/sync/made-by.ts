import { hostname, userInfo } from 'node:os';
import type { MadeBy } from '../model/made-by.ts';
import type { Environment } from '../util/environment.ts';
import { firstOf } from '../util/text.ts';

/** In characters: the first line of a journal is short. */
const MAX_LENGTH = 500;

/** Reads variables of GitHub Actions or GitLab CI; elsewhere returns `user@host`. */
export function madeBy(env: Environment): MadeBy {
  const own = fromGitHub(env) ?? fromGitLab(env) ?? { actor: userAtHost() };
  const known = Object.entries(own).flatMap(([name, text]) =>
    text ? [[name, firstOf(text, MAX_LENGTH)]] : [],
  );
  return Object.fromEntries(known);
}

type KnownParts = { readonly [Name in keyof MadeBy]?: string | undefined };

function fromGitHub(env: Environment): KnownParts | undefined {
  if (env.GITHUB_ACTIONS !== 'true') return undefined;
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID, GITHUB_RUN_ATTEMPT } = env;
  const run = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`;
  return {
    actor: env.GITHUB_TRIGGERING_ACTOR || env.GITHUB_ACTOR,
    commit: env.GITHUB_SHA,
    url: GITHUB_RUN_ID && (GITHUB_RUN_ATTEMPT ? `${run}/attempts/${GITHUB_RUN_ATTEMPT}` : run),
  };
}

function fromGitLab(env: Environment): KnownParts | undefined {
  if (env.GITLAB_CI !== 'true') return undefined;
  return {
    actor: env.GITLAB_USER_LOGIN,
    commit: env.CI_COMMIT_SHA,
    url: env.CI_JOB_URL || env.CI_PIPELINE_URL,
  };
}

function userAtHost(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    // The user's number has no name here, as in some containers.
    return hostname();
  }
}
