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
    for (const one of hashedIn(manifest, path, paths)) found.add(one)
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

/** Vite alone writes its manifest here, so that its entries are known to be its own. */
const viteManifest = /(?:^|\/)\.vite\/manifest\.json$/

/** Returns the paths that the manifest at a path lists under a name that has no hash in it. */
export function hashedIn(manifest: unknown, manifestPath: string, paths: ReadonlySet<string>): string[] {
  const folder = folderOf(manifestPath)
  const hasAddedHash = viteManifest.test(manifestPath) ? hasViteHash : hasSuffixHash
  return entriesIn(manifest).flatMap(({ name, output }) => {
    const path = hasAddedHash(name, output) ? pathOf(output, folder, paths) : undefined
    return path === undefined ? [] : [path]
  })
}

/** A file that a tool wrote, and what it wrote it for: a name in the source, or of an entry point. */
type Entry = { name: string; output: string }

/** The manifest is the tenant's: longer names are ignored, so that the time it takes to read one is bounded. */
const maxNameLength = 1_024
/** Longer paths are ignored, for the same reason. */
const maxPathParts = 64

function entriesIn(manifest: unknown): Entry[] {
  if (!isObject(manifest)) return []
  const entries = Object.entries(manifest).flatMap(([key, value]) => {
    if (typeof value === 'string')
      return posix.extname(key) === posix.extname(value) ? [{ name: key, output: value }] : []
    if (['assets', 'files'].includes(key)) return entriesIn(value)
    return isObject(value) ? entriesOf(key, value) : []
  })
  return entries.filter(({ name, output }) => Math.max(name.length, output.length) <= maxNameLength)
}

/** Vite describes each chunk, with its styles; webpack-assets-manifest each file, with its integrity. */
function entriesOf(key: string, { file, src, name = src, css = [] }: Record<string, unknown>): Entry[] {
  if (typeof file !== 'string') return typeof src === 'string' ? [{ name: key, output: src }] : []
  const outputs = [file, ...(Array.isArray(css) ? css : [])].filter((one) => typeof one === 'string')
  return outputs.map((output) => ({ name: typeof name === 'string' ? name : key, output }))
}

/**
 * Whether Vite added a hash to a name. Vite may write a file under another name than that of its source, and its hashes
 * may have no digit.
 */
const hasViteHash = (name: string, output: string): boolean =>
  (addedTo(name, output) ?? lastPart(output)).some(
    (part) => isLikeHash(part) && (hasDigit(part) || hasBothCases(part)) && !name.includes(part),
  )

/**
 * Whether a tool added a hash to a name. A hash has a digit: `main.appBundle.js` has a constant suffix. The output
 * alone proves nothing: `brochure-Summer25.pdf` looks like it has a hash, but is written under its own name.
 */
const hasSuffixHash = (name: string, output: string): boolean =>
  addedTo(name, output)?.some((part) => isLikeHash(part) && hasDigit(part) && !name.includes(part)) === true

const isLikeHash = (part: string): boolean => /^[\w-]{8,64}$/.test(part)

const hasDigit = (part: string): boolean => /\d/.test(part)

const hasBothCases = (part: string): boolean => /[a-z]/.test(part) && /[A-Z]/.test(part)

/** Returns the parts that an output has after the name; undefined if it does not begin with it. */
function addedTo(name: string, output: string): string[] | undefined {
  const [plain, written] = [stemOf(name), stemOf(output)]
  if (!written.startsWith(plain) || !/^[-._]./.test(written.slice(plain.length))) return undefined
  return written.slice(plain.length + 1).split('.')
}

const lastPart = (output: string): string[] => /[-.](\w+)$/.exec(stemOf(output))?.slice(1) ?? []

const stemOf = (path: string): string => posix.parse(path).name

/** Returns the path of an output that may be written with an address or a base path before it. */
function pathOf(output: string, folder: string, paths: ReadonlySet<string>): string | undefined {
  const parts = output
    .replace(/^[a-z]+:\/\/[^/]*/i, '')
    .split('/')
    .filter((part) => part !== '' && part !== '.')
  if (parts.length > maxPathParts) return undefined
  for (let from = 0; from < parts.length; from += 1) {
    const path = posix.join(folder, ...parts.slice(from))
    if (paths.has(path)) return path
  }
  return undefined
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
