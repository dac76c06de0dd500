import { expect, onTestFinished, test } from 'vitest'
import { openTestDatabase } from '../../../testing/database.ts'
import { sql } from '../drizzle.ts'
import type { Db } from '../open.ts'

test.skipIf(!process.env.TEST_DATABASE_URL)(
  'a connection goes on to be used for whom it was used before [a server: the embedded database has one connection]',
  async () => {
    const { ofOrganization, close } = await openTestDatabase()
    onTestFinished(close)
    const [mine, theirs, latecomers] = [ofOrganization('org_a'), ofOrganization('org_b'), ofOrganization('org_c')]
    // Two at a time, of which mine comes back last.
    const [own, other] = await mine.transaction(async (tx) => [await connectionOf(tx), await connectionOf(theirs)])
    expect(other).not.toBe(own)
    for (let round = 0; round < 3; round++) {
      expect(await connectionOf(theirs)).toBe(other)
      expect(await connectionOf(mine)).toBe(own)
    }
    expect(await connectionOf(latecomers), 'the one that nobody has wanted for longest').toBe(other)
    expect(await connectionOf(mine)).toBe(own)
  },
)

async function connectionOf(db: Db): Promise<number | undefined> {
  const { rows } = (await db.execute(sql`select pg_backend_pid() as pid`)) as unknown as { rows: { pid: number }[] }
  return rows[0]?.pid
}
