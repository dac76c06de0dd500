import type { ArtifactRow } from './tables.ts'

/** Returns the inputs of a deployment that releases an artifact, as the bundled modules name them. */
export function deployInputsOf({
  kind,
  key,
  digest,
}: Pick<ArtifactRow, 'kind' | 'key' | 'digest'>): Record<string, string> {
  switch (kind) {
    case 'static':
      return { directory: key }
    case 'lambda':
      return { s3_key: key }
    case 'image':
      return { image_ref: digest }
  }
}
