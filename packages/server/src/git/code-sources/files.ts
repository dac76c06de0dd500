import { extname } from 'node:path/posix'
import { GitAccessLost, NotInRepository } from '../adapter/errors.ts'
import type { EntryFacts, HostedRepository } from '../adapter/host.ts'

/** File of a repository at a commit. */
export type RepositoryFile = { path: string; content: Buffer }

export type FilesWanted = {
  /** Folder relative to the root, which is the empty string. */
  path: string
  commit: string
  /** File extensions with the dot, in lower case. */
  endings: readonly string[]
  /** Maximum numbers of files and folders, and maximum sizes of one file and of all files, in bytes. */
  max: { files: number; folders: number; bytesOfOne: number; bytes: number }
}

/** Error for a folder or file that exceeds the limits. */
export class FolderTooLarge extends Error {
  override name = 'FolderTooLarge'
}

/** Maximum number of concurrent file requests, so that the host does not treat them as abuse. */
const atOnce = 4

/**
 * Reads the files of a folder at a commit, ordered by path. Skips hidden folders, `node_modules`, symbolic links and
 * submodules. @throws {FolderTooLarge} @throws {NotInRepository} if the folder does not exist
 */
export async function filesIn(repository: HostedRepository, wanted: FilesWanted): Promise<RepositoryFile[]> {
  const { max } = wanted
  const paths = await pathsIn(repository, wanted)
  const files: RepositoryFile[] = []
  let bytes = 0
  for (let from = 0; from < paths.length; from += atOnce) {
    const some = paths.slice(from, from + atOnce)
    for (const file of await Promise.all(some.map((path) => fileAt(repository, path, wanted)))) {
      bytes += file.content.length
      if (bytes > max.bytes) throw new FolderTooLarge(`The files have more than ${max.bytes} bytes together.`)
      files.push(file)
    }
  }
  return files
}

async function pathsIn(repository: HostedRepository, { path, commit, endings, max }: FilesWanted): Promise<string[]> {
  const found: string[] = []
  const folders = [path]
  for (let seen = 0; seen < folders.length; seen += 1) {
    if (seen >= max.folders) throw new FolderTooLarge(`There are more than ${max.folders} folders.`)
    const folder = folders[seen] ?? ''
    for (const { name, type } of await entriesOf(repository, folder, commit)) {
      const at = folder === '' ? name : `${folder}/${name}`
      if (type === 'DIRECTORY' && !name.startsWith('.') && name !== 'node_modules') folders.push(at)
      if (type === 'FILE' && endings.includes(extname(name).toLowerCase())) found.push(at)
    }
    if (found.length > max.files) throw new FolderTooLarge(`There are more than ${max.files} files.`)
  }
  return found.toSorted()
}

async function entriesOf(repository: HostedRepository, folder: string, commit: string): Promise<EntryFacts[]> {
  const there = await repository.contents(folder, commit).catch(async (error: unknown) => {
    if (!(error instanceof GitAccessLost && error.isMissing)) throw error
    await repository.read() // throws if the repository itself is missing
    throw new NotInRepository(`There is no folder ${folder || '/'} at ${commit.slice(0, 8)}.`)
  })
  if (there.type === 'FILE') throw new NotInRepository(`${folder} is a file, not a folder, at ${commit.slice(0, 8)}.`)
  if (!there.isComplete) throw new FolderTooLarge(`There is more in ${folder || '/'} than the host lists.`)
  return there.items
}

async function fileAt(repository: HostedRepository, path: string, { commit, max }: FilesWanted) {
  const there = await repository.contents(path, commit)
  if (there.type === 'DIRECTORY') throw new NotInRepository(`${path} is a folder and was a file.`)
  if (there.bytes > max.bytesOfOne || there.content === undefined) {
    throw new FolderTooLarge(`${path} has more than ${max.bytesOfOne} bytes.`)
  }
  return { path, content: there.content }
}
