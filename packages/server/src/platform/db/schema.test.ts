import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createEmptyDatabase } from '../../testing/database.ts'
import { openDatabase } from './open.ts'

const run = promisify(execFile)
const hasPgDump = await run('pg_dump', ['--version']).then(
  () => true,
  () => false,
)

/** `npm run schema` updates the file after a migration. */
test('the migrations add up to schema.sql', async ({ skip }) => {
  skip(!hasPgDump, 'skipped: pg_dump')
  const { url, drop } = await createEmptyDatabase()
  if (url === undefined) return skip('skipped: PostgreSQL')
  try {
    const { close } = await openDatabase({ url })
    await close()
    await expect(await dumpSchema(url)).toMatchFileSnapshot('../../../migrations/schema.sql')
  } finally {
    await drop()
  }
})

/** The schema without the migrator's notebook, in words that do not depend on the versions of server and pg_dump. */
async function dumpSchema(url: string): Promise<string> {
  const flags = ['--schema-only', '--no-owner', '--no-privileges', '--exclude-schema', 'drizzle']
  const { stdout } = await run('pg_dump', [...flags, '--dbname', url])
  const noise = /^(--|SET |SELECT pg_catalog\.set_config|\\(un)?restrict )/
  const statements = stdout.split('\n').filter((line) => !noise.test(line))
  return `${statements
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()}\n`
}
