import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { drizzlePostgres, migratePostgres } from '../drizzle.ts'
import { openEmbeddedPool } from '../embedded.ts'
import type { Db } from '../open.ts'
import { catalogFile, catalogOf } from './expected-schema.ts'
import { migrationsFolder } from './migrations-folder.ts'

// Program of `npm run schema`, after a migration was added.
const directory = await mkdtemp(join(tmpdir(), 'sluice-catalog-'))
const { pool, close } = await openEmbeddedPool({ directory })
try {
  const db = drizzlePostgres(pool)
  await migratePostgres(db, { migrationsFolder })
  await writeFile(catalogFile, `${(await catalogOf(db as unknown as Db)).join('\n')}\n`)
} finally {
  await close()
  await rm(directory, { recursive: true })
}
