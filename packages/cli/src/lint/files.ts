import { createReadStream, type Dirent, readdirSync, statSync } from 'node:fs'
import { extname, join, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { maxFileBytes } from '@sluice/server/interface/source-text/text'

/** File to check, as named in the report; `-` is standard input. */
export type Source = { file: string; isNamed: boolean }

type Unreadable = { file: string; reason: string }

const endings = ['.yaml', '.yml', '.json']

/** Returns the named files and those in the named folders, in order and without duplicates. */
export function findFiles(names: readonly string[]): { sources: Source[]; unreadable: Unreadable[] } {
  const sources = new Map<string, Source>()
  const unreadable: Unreadable[] = []
  for (const name of names) visit(name)
  return { sources: [...sources.values()], unreadable }

  function visit(file: string): void {
    attempt(file, () => {
      if (file === '-') add(file, file, true)
      else if (statSync(file).isDirectory()) walk(file)
      else add(resolve(file), file, true)
    })
  }

  function walk(folder: string): void {
    attempt(folder, () => {
      for (const entry of readdirSync(folder, { withFileTypes: true }).toSorted(byName)) {
        const path = join(folder, entry.name)
        if (entry.isDirectory()) {
          if (!entry.name.startsWith('.') && entry.name !== 'node_modules') walk(path)
        } else if (endings.includes(extname(entry.name).toLowerCase()) && isFile(entry, path)) {
          add(resolve(path), path, false)
        }
      }
    })
  }

  function add(key: string, file: string, isNamed: boolean): void {
    const known = sources.get(key)
    if (!known) sources.set(key, { file, isNamed })
    else known.isNamed ||= isNamed
  }

  function attempt(file: string, work: () => void): void {
    try {
      work()
    } catch (error) {
      unreadable.push({ file, reason: reasonOf(error) })
    }
  }
}

const byName = (a: Dirent, b: Dirent): number => (a.name < b.name ? -1 : 1)

/**
 * Reports whether an entry is a file or a link to one. Links to folders are not followed, because they can form cycles.
 */
const isFile = (entry: Dirent, path: string): boolean => entry.isFile() || (entry.isSymbolicLink() && leadsToFile(path))

function leadsToFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Reads a file up to one byte beyond the limit. */
export const bytesOf = (file: string): Promise<Buffer> =>
  buffer(
    file === '-' ? createReadStream('', { fd: 0, end: maxFileBytes }) : createReadStream(file, { end: maxFileBytes }),
  )

const reasons: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'it may not be read by this user',
  EPERM: 'it may not be read by this user',
  ELOOP: 'it is a link that leads around to itself',
  EISDIR: 'it is a folder',
}

export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return reasons[code ?? ''] ?? message
}
