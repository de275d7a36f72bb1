/** Lists every page through `fetchPage`, in parallel, into a map. */
export async function listAll(
  fetchPage: (path: string) => Promise<string>,
  parallelism: number,
): Promise<void> {
  const byDomain = new Map<string, unknown>();
  const take = async (number: number): Promise<{ last_page: number; total: number }> => {
    const path = `/api/v1/websites?per_page=100&sort_by=id&sort=desc&page=${number}`;
    const page = JSON.parse(await fetchPage(path));
    for (const record of page.data) byDomain.set(record.domain, record);
    return page.meta;
  };
  const { last_page, total } = await take(1);
  let next = 2;
  const work = async (): Promise<void> => {
    while (next <= last_page) await take(next++);
  };
  await Promise.all(Array.from({ length: parallelism }, work));
  if (byDomain.size !== total) throw new Error(`${byDomain.size} of ${total} records`);
}
