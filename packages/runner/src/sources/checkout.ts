import { hash } from 'node:crypto'
import { mkdir, readdir, readFile, readlink, realpath, stat, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path'
import type { OrderedSource } from '@sluice/contract/runner-protocol'
import type { Attempt } from '../attempt.ts'
import type { Repositories, RepositoryUser } from './repositories.ts'
import { SourceTrouble } from './source-trouble.ts'

/** A source on this machine. */
export type CheckedOut = {
  /** The folder that is worked in, absolute. */
  directory: string
  /** The commit that the ref stood for; undefined for given files. */
  commit: string | undefined
  /** The same for the same content. */
  digest: string
}

/**
 * Puts a source into the attempt's directory, and makes it `ready` for its programs. Nothing is checked out again over
 * files that a program works with which was found again after a restart.
 */
export async function checkOutOnce(
  source: OrderedSource,
  { repositories, attempt }: { repositories: Repositories; attempt: RepositoryUser & Pick<Attempt, 'folders'> },
  ready: (checkedOut: CheckedOut) => Promise<void> = async () => {},
): Promise<CheckedOut> {
  const note = join(attempt.folders.notes, 'checked-out.json')
  const before = await readFile(note, 'utf8').catch(() => undefined)
  if (before !== undefined) return JSON.parse(before)
  const checkedOut = await checkOut(source, join(attempt.directory, 'source'), { repositories, attempt })
  await ready(checkedOut)
  await writeFile(note, JSON.stringify(checkedOut))
  return checkedOut
}

/** Puts a source into `root`, which is empty or holds the same source from an attempt that was cut off. */
export async function checkOut(
  source: OrderedSource,
  root: string,
  { repositories, attempt }: { repositories: Repositories; attempt: RepositoryUser },
): Promise<CheckedOut> {
  await mkdir(root, { recursive: true, mode: 0o700 })
  const content =
    'files' in source ? await writeFiles(root, source.files) : await repositories.checkOut(source, root, attempt)
  await refuseEscapes(root)
  return { ...content, directory: await folderIn(root, source.basePath) }
}

async function writeFiles(root: string, files: Record<string, string>) {
  const sorted = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [path, content] of sorted) {
    const file = join(root, path)
    if (isAbsolute(path) || path.includes('\0') || !isInside(root, file) || file === root) {
      throw new SourceTrouble(`The file ${JSON.stringify(path)} would lie outside of its folder.`)
    }
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(file, content, { mode: 0o600 })
  }
  return { commit: undefined, digest: hash('sha256', JSON.stringify(sorted), 'hex') }
}

/** A link that leads out of the checkout would let a configuration read, or write, what is not its own. */
async function refuseEscapes(root: string): Promise<void> {
  const real = await realpath(root)
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) continue
    const link = join(entry.parentPath, entry.name)
    const target = await readlink(link)
    const leadsTo = await realpath(link).catch(() => resolve(dirname(link), target))
    if (isAbsolute(target) || !(isInside(real, leadsTo) || isInside(root, leadsTo))) {
      throw new SourceTrouble(`The link ${relative(root, link)} leads out of the repository, to ${target}.`)
    }
  }
}

async function folderIn(root: string, basePath: string): Promise<string> {
  const folder = join(root, normalize(basePath))
  const isThere = isInside(root, folder) && (await stat(folder).catch(() => undefined))?.isDirectory()
  if (!isThere) throw new SourceTrouble(`There is no folder ${JSON.stringify(basePath)} in the source.`)
  return folder
}

const isInside = (root: string, path: string): boolean => path === root || path.startsWith(root + sep)
