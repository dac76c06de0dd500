import { createHash } from 'node:crypto'
import type { ArtifactKind } from '@sluice/contract'
import type { ArtifactFile } from '@sluice/contract/runner-protocol'
import mime from 'mime'

/** Where an artifact goes, and what each of its files is stored as. */
export type Placement = {
  /** The object, or the directory. */
  key: string
  digest: string
  objects: Placed[]
}

export type Placed = ArtifactFile & { key: string; contentType: string; cacheControl?: string }

/** So much of a digest makes a name of its own. Characters. */
const digestInName = 32

/** Names are made of the content: the same is never stored twice, and nothing else is ever stored there. */
export function placementOf(
  kind: ArtifactKind,
  directory: string | undefined,
  files: readonly ArtifactFile[],
): Placement {
  const digest = kind === 'static' ? digestOf(files) : (files[0]?.sha256 ?? '')
  const name = digest.slice(0, digestInName)
  const base = directory === undefined ? name : `${directory}/${name}`
  const key = kind === 'static' ? base : `${base}.zip`
  const objects =
    kind === 'static'
      ? files.map((file) => ({ ...file, key: `${key}/${file.path}`, ...servedAs(file.path) }))
      : files.map((file) => ({ ...file, key, contentType: 'application/zip' }))
  return { key, digest: `sha256:${digest}`, objects }
}

/** Of names and contents alike, and of nothing else. */
function digestOf(files: readonly ArtifactFile[]): string {
  const lines = files.map(({ path, sha256 }) => `${sha256}  ${JSON.stringify(path)}\n`).sort()
  return createHash('sha256').update(lines.join('')).digest('hex')
}

/**
 * Parts of names that bundlers make of the content, such as `app.3f2a9c1b.js` and `index-BxY8k2Lq.css`. One that looks
 * like a word or a date is asked for anew each time, which is right in any case.
 */
const fingerprints = [
  /[.-](?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,64}\.[A-Za-z0-9]+$/,
  /[.-](?=[^.]*\d)(?=[^.]*[a-z])(?=[^.]*[A-Z])[A-Za-z0-9_-]{8}\.[A-Za-z0-9]+$/,
]
const isNamedByContent = (path: string): boolean => fingerprints.some((looks) => looks.test(path))

/** How a file of a site is served: for good where its name changes with its content, else asked for anew each time. */
export function servedAs(path: string): { contentType: string; cacheControl: string } {
  const type = mime.getType(path) ?? 'application/octet-stream'
  const isText = type.startsWith('text/') || type === 'application/javascript' || type === 'application/json'
  return {
    contentType: isText ? `${type}; charset=utf-8` : type,
    cacheControl: isNamedByContent(path) ? 'public, max-age=31536000, immutable' : 'public, max-age=0, must-revalidate',
  }
}
