import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readMigrationFiles } from '../drizzle.ts'
import { migrationsFolder } from './migrations-folder.ts'

/**
 * An embedded database that is empty but for the schema. Making one takes some 4 s of processor time: so one is made
 * when dependencies are installed (`make-ready-made.ts`), and a first start copies that. Without it, or where it is of
 * another version, the database is made as it is opened.
 */
export const readyMadeFolder = fileURLToPath(new URL('../../../../dist/ready-made-database/', import.meta.url))

type Package = { version: string }

/** Where that of this version is: of these migrations, for this version of the database. */
export async function readyMadePath(): Promise<string> {
  const program = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  const { version } = JSON.parse(await readFile(join(dirname(program), '../package.json'), 'utf8')) as Package
  const of = createHash('sha256').update(version)
  for (const { hash } of readMigrationFiles({ migrationsFolder })) of.update(hash)
  return join(readyMadeFolder, of.digest('hex').slice(0, 16))
}

/**
 * Puts the ready-made database, if there is one, into an empty directory. It is copied beside and moved into place:
 * whoever dies meanwhile leaves nothing half. Where that cannot be, as in a volume of its own, the directory stays
 * empty.
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
