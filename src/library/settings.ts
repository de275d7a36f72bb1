/** How a program names a service. */
import { MOST_PARALLELISM, MOST_REQUEST_TIMEOUT_MS } from '../model/service.ts';
import { type Checks, text, whole } from './checked.ts';

export interface ServiceOptions {
  /**
   * Address of the service, or `local` for the embedded one; without it, `WEBSITES_BASE_URL` of the environment that the
   * files were loaded with, which wins over the files too.
   */
  readonly baseUrl?: string | undefined;
  /** The API key; without it, `WEBSITES_API_KEY` of that environment, or for a target what is its own. */
  readonly apiKey?: string | undefined;
  /** Requests under way at once, from 1 to 256; 10 if not given. */
  readonly parallelism?: number | undefined;
  /** Milliseconds for one operation with its retries; 120,000 if not given. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds for one request, 600,000 at most; 30,000 if not given. */
  readonly requestTimeoutMs?: number | undefined;
  /** Milliseconds that the service may ask one operation to wait, in sum; 900,000 if not given. */
  readonly maxWaitMs?: number | undefined;
}

export const SERVICE_CHECKS: Checks<ServiceOptions> = {
  baseUrl: text,
  apiKey: text,
  parallelism: whole(1, MOST_PARALLELISM),
  timeoutMs: whole(1),
  requestTimeoutMs: whole(1, MOST_REQUEST_TIMEOUT_MS),
  maxWaitMs: whole(0),
};
