import { createHash } from 'node:crypto'
import type { ArtifactKind } from '@sluice/contract'
import type { ArtifactFile } from '@sluice/contract/runner-protocol'
import mime from 'mime'
import { type CacheRule, cacheControlOf } from './cache-control.ts'

/** Location of an artifact, and the object for each of its files. */
export type Placement = {
  /** Object key, or directory. */
  key: string
  digest: string
  objects: PlacedFile[]
}

export type PlacedFile = ArtifactFile & { key: string; contentType: string; cacheControl?: string }

/** Number of characters of a digest that are used in a name. */
const digestInName = 32

/** Destination of an artifact that consists of files. */
type Store = { directory: string | undefined; cacheControl: readonly CacheRule[] }

/**
 * Returns the location of an artifact. It depends on the content, so that identical artifacts are stored once and
 * nothing is overwritten.
 */
export function placementOf(kind: ArtifactKind, store: Store, files: readonly ArtifactFile[]): Placement {
  return kind === 'static' ? sitePlacement(store, files) : archivePlacement(store, files)
}

function archivePlacement({ directory }: Store, files: readonly ArtifactFile[]): Placement {
  const digest = files[0]?.sha256 ?? ''
  const key = `${keyIn(directory, digest)}.zip`
  return {
    key,
    digest: `sha256:${digest}`,
    objects: files.map((file) => ({ ...file, key, contentType: 'application/zip' })),
  }
}

function sitePlacement({ directory, cacheControl }: Store, files: readonly ArtifactFile[]): Placement {
  const served = files.map((file) => ({ ...file, ...headersFor(file, cacheControl) }))
  const digest = digestOf(files, ({ sha256 }) => sha256)
  // Headers belong to objects, which are never overwritten, so files with other headers need another directory.
  const key = keyIn(
    directory,
    digestOf(served, ({ sha256, ...headers }) => `${sha256} ${headers.cacheControl}`),
  )
  return { key, digest: `sha256:${digest}`, objects: served.map((file) => ({ ...file, key: `${key}/${file.path}` })) }
}

function keyIn(directory: string | undefined, digest: string): string {
  const name = digest.slice(0, digestInName)
  return directory === undefined ? name : `${directory}/${name}`
}

/** Returns a digest of the paths of files and what `contentOf` returns for each, in any order. */
function digestOf<File extends ArtifactFile>(files: readonly File[], contentOf: (file: File) => string): string {
  const lines = files.map((file) => `${contentOf(file)}  ${JSON.stringify(file.path)}\n`).sort()
  return createHash('sha256').update(lines.join('')).digest('hex')
}

/** Returns the headers with which a site's file is served. */
export function headersFor(
  file: Pick<ArtifactFile, 'path' | 'isContentHashed'>,
  rules: readonly CacheRule[],
): { contentType: string; cacheControl: string } {
  const type = mime.getType(file.path) ?? 'application/octet-stream'
  const isText = type.startsWith('text/') || type === 'application/javascript' || type === 'application/json'
  return { contentType: isText ? `${type}; charset=utf-8` : type, cacheControl: cacheControlOf(file, rules) }
}
