import type { ArtifactRow } from './tables.ts'

/** The inputs of a deployment that release an artifact, as the bundled modules call them. */
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
