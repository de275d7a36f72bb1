/** The store on PostgreSQL, for several instances of the service on one database. */
import { WebsitesError } from '../../model/errors.ts';
import { shownDatabase } from '../database-url.ts';
import { COLUMNS, operationsOn, selection, toWebsite } from '../statements.ts';
import type { ListedPage, ListedRecord, RequestWindow, Store, Stretch } from '../store.ts';
import { openPool, type PostgresPool } from './pool.ts';
import { migrate } from './schema.ts';

/**
 * Opens the database at `url` (postgres://…), and makes or migrates its tables. Throws a WebsitesError
 * (`store-failed`) when that is not possible, or the database is of a newer version.
 * `busyTimeout` in milliseconds: see `openPool`.
 */
export async function openPostgres(url: string, busyTimeout: number): Promise<Store> {
  const shown = shownDatabase(url);
  const { pool, id } = await connect(url, shown, busyTimeout);
  return {
    id,
    ...operationsOn({ query: pool.query, write: pool.transaction, forUpdate: ' FOR UPDATE' }),
    list: (account, listed, stretch) => list(pool, account, listed, stretch),
    countRequest: (key, now, length) => countRequest(pool, key, now, length),
    close: () => pool.end(),
  };
}

async function connect(
  url: string,
  shown: string,
  busyTimeout: number,
): Promise<{ pool: PostgresPool; id: string }> {
  let pool: PostgresPool | undefined;
  try {
    pool = openPool(url, busyTimeout);
    return { pool, id: await pool.transaction(migrate(shown)) };
  } catch (error) {
    await pool?.end();
    if (error instanceof WebsitesError) throw error;
    const { message, code } = error as NodeJS.ErrnoException;
    throw new WebsitesError('store-failed', `Cannot open the database ${shown}: ${message || code}.`, {
      remedy:
        'Check that PostgreSQL runs there, that the user and password in WEBSITES_DB are correct, and that the database exists and has no tables of another program.',
      cause: error,
    });
  }
}

/** One statement, and so one state of the database, also while others write. */
async function list(
  pool: PostgresPool,
  account: number,
  listed: ListedRecord,
  { offset, limit }: Stretch,
): Promise<ListedPage> {
  const { condition, cells } = selection(account, listed, 'strpos');
  const order = `${listed.sortBy} ${listed.descending ? 'DESC' : 'ASC'}`;
  const rows = await pool.query(
    `SELECT counted.total, page.* FROM (SELECT count(*) AS total FROM websites WHERE ${condition}) AS counted
     LEFT JOIN (
       SELECT ${COLUMNS.join(', ')} FROM websites WHERE ${condition} ORDER BY ${order} LIMIT ? OFFSET ?
     ) AS page ON true ORDER BY page.${order}`,
    [...cells, ...cells, limit, offset],
  );
  return {
    total: Number(rows[0]?.total),
    websites: rows.filter((row) => row.id !== null).map(toWebsite),
  };
}

/** In the database: a limit holds for all instances together. */
async function countRequest(
  pool: PostgresPool,
  key: number,
  now: number,
  length: number,
): Promise<RequestWindow> {
  const isOpen = 'kept.ends_at > ? AND kept.ends_at <= ?';
  const bounds = [now, now + 2 * length];
  const [row] = await pool.query(
    `INSERT INTO request_windows AS kept (key_id, hits, ends_at) VALUES (?, 1, ?)
     ON CONFLICT (key_id) DO UPDATE SET
       hits = CASE WHEN ${isOpen} THEN kept.hits + 1 ELSE 1 END,
       ends_at = CASE WHEN ${isOpen} THEN kept.ends_at ELSE excluded.ends_at END
     RETURNING hits, ends_at`,
    [key, now + length, ...bounds, ...bounds],
  );
  return { hits: Number(row?.hits), endsAt: Number(row?.ends_at) };
}
