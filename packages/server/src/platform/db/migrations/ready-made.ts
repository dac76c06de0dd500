import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readMigrationFiles } from '../drizzle.ts'
import { migrationsFolder } from './migrations-folder.ts'

/**
 * Embedded database with the schema and no rows. Creating one takes some 4 s of processor time, so `make-ready-made.ts`
 * creates it at installation, and a first start copies it. Without it, or with one of another version, the database is
 * created when it is opened.
 */
export const readyMadeFolder = fileURLToPath(new URL('../../../../dist/ready-made-database/', import.meta.url))

type Package = { version: string }

/** Returns the path for these migrations and this version of the database. */
export async function readyMadePath(): Promise<string> {
  const program = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  const { version } = JSON.parse(await readFile(join(dirname(program), '../package.json'), 'utf8')) as Package
  const of = createHash('sha256').update(version)
  for (const { hash } of readMigrationFiles({ migrationsFolder })) of.update(hash)
  return join(readyMadeFolder, of.digest('hex').slice(0, 16))
}

/**
 * Copies the prepared database, if there is one, into an empty directory: beside it first, then moved into place, so
 * that a crash leaves nothing incomplete. If that is not possible, as for a volume, the directory stays empty.
 */
export async function takeReadyMade(directory: string, source?: string): Promise<void> {
  if ((await readdir(directory)).length > 0) return
  const from = source ?? (await readyMadePath())
  if (!existsSync(from)) return
  const [parent, beginning] = [dirname(directory), `${basename(directory)}.new-`]
  try {
    await removeLeftOver(parent, beginning)
    const copy = await mkdtemp(join(parent, beginning))
    await cp(from, copy, { recursive: true })
    await rename(copy, directory)
  } catch {
    await removeLeftOver(parent, beginning).catch(() => {}) // the next start tries again
  }
}

async function removeLeftOver(parent: string, beginning: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => []))
    if (name.startsWith(beginning)) await rm(join(parent, name), { recursive: true, force: true })
}
