import { readFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { parseBoundedJson } from '@sluice/contract/bounded-json'
import type { BuiltFile } from './collect.ts'

/** File names of manifests, in which Vite, webpack plugins, Parcel and gulp-rev list what they wrote. */
const manifestNames = new Set([
  'asset-manifest.json',
  'assets-manifest.json',
  'manifest.json',
  'parcel-manifest.json',
  'rev-manifest.json',
])
/** Generous: a manifest has some hundred bytes per file. */
const maxManifestBytes = 4 * 1024 * 1024

/** Returns the paths of the files whose names contain a content hash according to the manifests of build tools. */
export async function findContentHashedPaths(files: readonly BuiltFile[]): Promise<Set<string>> {
  const paths = new Set(files.map(({ path }) => path))
  const found = new Set<string>()
  for (const { path, file, sizeBytes } of files) {
    if (!manifestNames.has(posix.basename(path)) || sizeBytes > maxManifestBytes) continue
    const manifest = parseManifest(await readFile(file, 'utf8'))
    for (const one of findHashedPaths(manifest, path, paths)) found.add(one)
  }
  return found
}

function parseManifest(text: string): unknown {
  try {
    return parseBoundedJson(text)
  } catch {
    return undefined // another type of file with the same name
  }
}

/** Returns the folder that the paths of a manifest are relative to. */
const folderOf = (manifest: string): string => posix.dirname(manifest).replace(/(?:^|\/)\.vite$/, '') || '.'

/** Only Vite writes a manifest to this path, so that its entries are reliably Vite's. */
const viteManifest = /(?:^|\/)\.vite\/manifest\.json$/

/** Returns the listed paths whose names contain a hash that the tool added. */
export function findHashedPaths(manifest: unknown, manifestPath: string, paths: ReadonlySet<string>): string[] {
  const folder = folderOf(manifestPath)
  const hasAddedHash = viteManifest.test(manifestPath) ? hasViteHash : hasSuffixHash
  return collectEntries(manifest).flatMap(({ name, output }) => {
    const path = hasAddedHash(name, output) ? resolveOutputPath(output, folder, paths) : undefined
    return path === undefined ? [] : [path]
  })
}

/** A file that a tool wrote and the name that it was made from: a source file or an entry point. */
type Entry = { name: string; output: string }

/** Longer names are ignored. Bounds the processor time, because the manifest comes from a tenant. */
const maxNameLength = 1_024
/** Longer paths are ignored for the same reason. */
const maxPathParts = 64

function collectEntries(manifest: unknown): Entry[] {
  if (!isObject(manifest)) return []
  const entries = Object.entries(manifest).flatMap(([key, value]) => {
    if (typeof value === 'string')
      return posix.extname(key) === posix.extname(value) ? [{ name: key, output: value }] : []
    if (['assets', 'files'].includes(key)) return collectEntries(value)
    return isObject(value) ? readEntry(key, value) : []
  })
  return entries.filter(({ name, output }) => Math.max(name.length, output.length) <= maxNameLength)
}

/**
 * Reads an entry. Vite describes chunks with their styles; webpack-assets-manifest describes files with their
 * integrity.
 */
function readEntry(key: string, { file, src, name = src, css = [] }: Record<string, unknown>): Entry[] {
  if (typeof file !== 'string') return typeof src === 'string' ? [{ name: key, output: src }] : []
  const outputs = [file, ...(Array.isArray(css) ? css : [])].filter((one) => typeof one === 'string')
  return outputs.map((output) => ({ name: typeof name === 'string' ? name : key, output }))
}

/** Returns whether Vite added a hash. Vite may rename the file as well, and its hashes may have no digit. */
const hasViteHash = (name: string, output: string): boolean =>
  (findAddedParts(name, output) ?? lastPart(output)).some(
    (part) => isLikeHash(part) && (hasDigit(part) || hasBothCases(part)) && !name.includes(part),
  )

/**
 * Returns whether a tool added a hash. A hash has a digit: `main.appBundle.js` has a constant suffix. The output name
 * alone is not enough: `brochure-Summer25.pdf` looks hashed, but has the name of its source.
 */
const hasSuffixHash = (name: string, output: string): boolean =>
  findAddedParts(name, output)?.some((part) => isLikeHash(part) && hasDigit(part) && !name.includes(part)) === true

const isLikeHash = (part: string): boolean => /^[\w-]{8,64}$/.test(part)

const hasDigit = (part: string): boolean => /\d/.test(part)

const hasBothCases = (part: string): boolean => /[a-z]/.test(part) && /[A-Z]/.test(part)

/** Returns the parts that an output has after the name; undefined if it does not start with the name. */
function findAddedParts(name: string, output: string): string[] | undefined {
  const [plain, written] = [stemOf(name), stemOf(output)]
  if (!written.startsWith(plain) || !/^[-._]./.test(written.slice(plain.length))) return undefined
  return written.slice(plain.length + 1).split('.')
}

const lastPart = (output: string): string[] => /[-.](\w+)$/.exec(stemOf(output))?.slice(1) ?? []

const stemOf = (path: string): string => posix.parse(path).name

/** Returns the path of an output, which may be written with a URL or a base path before it. */
function resolveOutputPath(output: string, folder: string, paths: ReadonlySet<string>): string | undefined {
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
