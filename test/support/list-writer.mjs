/**
 * Writes to the database given as argument until standard input ends: each transaction adds five records,
 * or takes away all that are there.
 */
import Database from 'libsql';
import pg from 'pg';

const [db] = process.argv.slice(2);
let ended = false;
process.stdin.resume().once('end', () => {
  ended = true;
});

const execute = db.startsWith('postgres:') ? await onPostgres() : onSqlite();
let written = 0;
for (let turn = 0; !ended; turn += 1) {
  await execute(turn % 5 === 4 ? 'DELETE FROM websites' : insert());
  await new Promise(setImmediate);
}
process.exit();

function insert() {
  const rows = Array.from({ length: 5 }, () => {
    written += 1;
    return `(1, 'written-${written}.example', 1, 0, 1, '2026-01-31T09:00:00Z', '2026-01-31T09:00:00Z')`;
  });
  return `INSERT INTO websites (account_id, domain, privacy, email, exclude_bots, created_at, updated_at)
    VALUES ${rows.join(', ')}`;
}

function onSqlite() {
  const database = new Database(db, { timeout: 5000 });
  return async (sql) => void database.exec(sql);
}

async function onPostgres() {
  const client = new pg.Client({ connectionString: db });
  await client.connect();
  return (sql) => client.query(sql);
}
