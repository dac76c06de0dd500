import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../platform/db/open.ts'
import { templateVariable } from './database.ts'

/**
 * Makes one migrated embedded database for the whole run, which the tests copy: making one anew takes seconds (3 to 6
 * on two cores), a copy a fraction of one. With a PostgreSQL server to test on there is nothing to prepare.
 */
export default async function prepareTemplate(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.TEST_DATABASE_URL) return undefined
  const directory = await mkdtemp(join(tmpdir(), 'sluice-template-'))
  const database = await openDatabase({ directory })
  await database.close()
  process.env[templateVariable] = directory
  return () => rm(directory, { recursive: true, force: true })
}
