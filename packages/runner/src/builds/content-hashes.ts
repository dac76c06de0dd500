import { readFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { parseBoundedJson } from '@sluice/contract/bounded-json'
import type { BuiltFile } from './collect.ts'

/** Files in which build tools list what they wrote: Vite, webpack with its plugins, Parcel and gulp-rev. */
const manifestNames = new Set([
  'asset-manifest.json',
  'assets-manifest.json',
  'manifest.json',
  'parcel-manifest.json',
  'rev-manifest.json',
])
/** A manifest has some hundred bytes for each file. */
const maxManifestBytes = 4 * 1024 * 1024

/** Returns the paths of the files whose names a build tool made of their content, as its manifests say. */
export async function contentHashedPaths(files: readonly BuiltFile[]): Promise<Set<string>> {
  const paths = new Set(files.map(({ path }) => path))
  const found = new Set<string>()
  for (const { path, file, sizeBytes } of files) {
    if (!manifestNames.has(posix.basename(path)) || sizeBytes > maxManifestBytes) continue
    const manifest = parsed(await readFile(file, 'utf8'))
    for (const one of hashedIn(manifest, folderOf(path), paths)) found.add(one)
  }
  return found
}

function parsed(text: string): unknown {
  try {
    return parseBoundedJson(text)
  } catch {
    return undefined // a file of another kind, under the same name
  }
}

/** The folder that the paths of a manifest begin at. */
const folderOf = (manifest: string): string => posix.dirname(manifest).replace(/(?:^|\/)\.vite$/, '') || '.'

/** Returns the paths that a manifest of a folder lists under a name that has no hash in it. */
export const hashedIn = (manifest: unknown, folder: string, paths: ReadonlySet<string>): string[] =>
  entriesIn(manifest).flatMap(({ name, output }) => {
    const path = hasAddedHash(name, output) ? pathOf(output, folder, paths) : undefined
    return path === undefined ? [] : [path]
  })

/** A file that a tool wrote, and what it wrote it for: a name in the source, or of an entry point. */
type Entry = { name: string; output: string }

function entriesIn(manifest: unknown): Entry[] {
  if (!isObject(manifest)) return []
  return Object.entries(manifest).flatMap(([key, value]) => {
    if (typeof value === 'string')
      return posix.extname(key) === posix.extname(value) ? [{ name: key, output: value }] : []
    if (['assets', 'files'].includes(key)) return entriesIn(value)
    return isObject(value) ? entriesOf(key, value) : []
  })
}

/** Vite describes each chunk, with its styles; webpack-assets-manifest each file, with its integrity. */
function entriesOf(key: string, { file, src, name = src, css = [] }: Record<string, unknown>): Entry[] {
  if (typeof file !== 'string') return typeof src === 'string' ? [{ name: key, output: src }] : []
  const outputs = [file, ...(Array.isArray(css) ? css : [])].filter((one) => typeof one === 'string')
  return outputs.map((output) => ({ name: typeof name === 'string' ? name : key, output }))
}

/** A part of a name between dots. Words such as `bundle` and dates such as `2026` are none. */
const hash = /^(?=.*\d|.*[a-z].*[A-Z]|.*[A-Z].*[a-z])[\w-]{8,64}$/

/**
 * Whether a tool added a hash to a name. The name alone proves nothing: `brochure-Summer25.pdf` looks like one, but is
 * written under its own name.
 */
function hasAddedHash(name: string, output: string): boolean {
  const [plain, written] = [stemOf(name), stemOf(output)]
  const added = written.startsWith(plain) ? /^[-._](.+)$/.exec(written.slice(plain.length))?.[1] : lastPart(written)
  return added?.split('.').some((part) => hash.test(part) && !name.includes(part)) === true
}

const lastPart = (stem: string): string | undefined => /[-.](\w+)$/.exec(stem)?.[1]

const stemOf = (path: string): string => posix.parse(path).name

/** Returns the path of an output that may be written with an address or a base path before it. */
function pathOf(output: string, folder: string, paths: ReadonlySet<string>): string | undefined {
  const parts = output
    .replace(/^[a-z]+:\/\/[^/]*/i, '')
    .split('/')
    .filter((part) => part !== '' && part !== '.')
  for (let from = 0; from < parts.length; from += 1) {
    const path = posix.join(folder, ...parts.slice(from))
    if (paths.has(path)) return path
  }
  return undefined
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
