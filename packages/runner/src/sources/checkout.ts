import { hash } from 'node:crypto'
import { mkdir, readdir, readFile, readlink, realpath, stat, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path'
import type { OrderedSource } from '@sluice/contract/runner-protocol'
import type { Attempt } from '../attempt.ts'
import type { Repositories, RepositoryUser } from './repositories.ts'
import { SourceError } from './source-error.ts'

/** A source that is checked out on this machine. */
export type Checkout = {
  /** Absolute path of the folder to work in. */
  directory: string
  /** The commit that the ref pointed to; undefined for inline files. */
  commit: string | undefined
  /** Hash of the content. */
  digest: string
}

/**
 * Checks out a source into the attempt's directory and calls `prepare`, once per attempt. A repeated checkout after a
 * restart could overwrite files of a program that still runs.
 */
export async function checkOutOnce(
  source: OrderedSource,
  { repositories, attempt }: { repositories: Repositories; attempt: RepositoryUser & Pick<Attempt, 'folders'> },
  prepare: (checkedOut: Checkout) => Promise<void> = async () => {},
): Promise<Checkout> {
  const note = join(attempt.folders.checkpoints, 'checked-out.json')
  const before = await readFile(note, 'utf8').catch(() => undefined)
  if (before !== undefined) return JSON.parse(before)
  const checkedOut = await checkOut(source, join(attempt.directory, 'source'), { repositories, attempt })
  await prepare(checkedOut)
  await writeFile(note, JSON.stringify(checkedOut))
  return checkedOut
}

/** Checks out a source into `root`, which must be empty or have the same source from an interrupted attempt. */
export async function checkOut(
  source: OrderedSource,
  root: string,
  { repositories, attempt }: { repositories: Repositories; attempt: RepositoryUser },
): Promise<Checkout> {
  await mkdir(root, { recursive: true, mode: 0o700 })
  const content =
    'files' in source ? await writeFiles(root, source.files) : await repositories.checkOut(source, root, attempt)
  await rejectEscapingLinks(root)
  return { ...content, directory: await resolveBaseFolder(root, source.basePath) }
}

async function writeFiles(root: string, files: Record<string, string>) {
  const sorted = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [path, content] of sorted) {
    const file = join(root, path)
    if (isAbsolute(path) || path.includes('\0') || !isInside(root, file) || file === root) {
      throw new SourceError(`Invalid file path ${JSON.stringify(path)}: it is outside of the source.`)
    }
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(file, content, { mode: 0o600 })
  }
  return { commit: undefined, digest: hash('sha256', JSON.stringify(sorted), 'hex') }
}

/** Rejects links that point outside of the source. A configuration could read or write other files through them. */
async function rejectEscapingLinks(root: string): Promise<void> {
  const real = await realpath(root)
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) continue
    const link = join(entry.parentPath, entry.name)
    const target = await readlink(link)
    const leadsTo = await realpath(link).catch(() => resolve(dirname(link), target))
    if (isAbsolute(target) || !(isInside(real, leadsTo) || isInside(root, leadsTo))) {
      throw new SourceError(`The link ${relative(root, link)} points outside of the repository, to ${target}.`)
    }
  }
}

async function resolveBaseFolder(root: string, basePath: string): Promise<string> {
  const folder = join(root, normalize(basePath))
  const isThere = isInside(root, folder) && (await stat(folder).catch(() => undefined))?.isDirectory()
  if (!isThere) throw new SourceError(`The source has no folder ${JSON.stringify(basePath)}.`)
  return folder
}

const isInside = (root: string, path: string): boolean => path === root || path.startsWith(root + sep)
