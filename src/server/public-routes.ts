/** What anybody may ask, without a key: how the service is, and what it does. */
import type { FastifyInstance } from 'fastify';
import { NO_ROUTE, type ServerAnswer, send } from './responses.ts';
import type { Store } from './store.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** No key is asked for. */
    public?: true;
  }
}

export const PUBLIC_PATHS: readonly string[] = ['/healthz', '/readyz', '/openapi.json', '/docs'];

/** The page loads nothing and runs nothing. */
const CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** Adds them to `app`; `closing` tells whether the service is about to end. */
export function addPublicRoutes(app: FastifyInstance, store: Store, closing: () => boolean): void {
  const config = { public: true } as const;

  const addHealth = (path: string, isEnding: () => boolean) =>
    app.get(path, { config }, async (request, reply) => {
      const failure = await failureOf(store);
      request.failure = failure;
      return send(reply, health(isEnding() ? 'closing' : failure === null ? 'ok' : 'unavailable'));
    });

  addHealth('/healthz', () => false);
  addHealth('/readyz', closing);

  const openApi = made(async () => (await import('./openapi.ts')).openApiText());
  app.get('/openapi.json', { config }, async (_request, reply) =>
    reply.type('application/json').send(await openApi()),
  );

  const docs = made(async () => (await import('./docs-page.ts')).docsPage());
  app.get('/docs', { config }, async (_request, reply) =>
    reply
      .headers({ 'content-security-policy': CONTENT_POLICY, 'x-content-type-options': 'nosniff' })
      .type('text/html; charset=utf-8')
      .send(await docs()),
  );

  // A relative address, so that it holds below a path of a proxy too.
  app.get('/', { config }, async ({ headers: { accept = '' } }, reply) =>
    /\btext\/html\b/i.test(accept) ? reply.header('vary', 'accept').redirect('docs') : send(reply, NO_ROUTE),
  );
}

/** A page that does not change is made once: however many answers wait to be read, they hold the same bytes. */
function made(make: () => Promise<string>): () => Promise<Buffer> {
  let page: Promise<Buffer> | undefined;
  return () => {
    page ??= make().then((text) => Buffer.from(text));
    return page;
  };
}

function health(status: 'ok' | 'unavailable' | 'closing'): ServerAnswer {
  return { status: status === 'ok' ? 200 : 503, body: { status } };
}

/** Why the database does not answer; `null` when it does. */
async function failureOf(store: Store): Promise<Error | null> {
  try {
    await store.check();
    return null;
  } catch (error) {
    return error as Error;
  }
}
