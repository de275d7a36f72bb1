/** What anybody may ask, without a key: how the service is, and what it does. */
import type { FastifyInstance } from 'fastify';
import { type ServerAnswer, send } from './responses.ts';
import type { Store } from './store.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** No key is asked for. */
    public?: true;
  }
}

export const PUBLIC_PATHS: readonly string[] = ['/healthz', '/readyz', '/openapi.json'];

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
