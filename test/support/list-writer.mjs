/**
 * Writes to the database given as argument until standard input ends: each transaction adds five records, or removes
 * all.
 */
import Database from 'libsql';

const [db] = process.argv.slice(2);
let ended = false;
process.stdin.resume().once('end', () => {
  ended = true;
});

const database = new Database(db, { timeout: 5000 });
let written = 0;
for (let turn = 0; !ended; turn += 1) {
  database.exec(turn % 5 === 4 ? 'DELETE FROM websites' : insert());
  await new Promise(setImmediate);
}
process.exit();

function insert() {
  const rows = Array.from({ length: 5 }, () => {
    written += 1;
    return `('written-${written}.example', 1, 0, 1, '2026-01-31T09:00:00Z', '2026-01-31T09:00:00Z')`;
  });
  return `INSERT INTO websites (domain, privacy, email, exclude_bots, created_at, updated_at)
    VALUES ${rows.join(', ')}`;
}
