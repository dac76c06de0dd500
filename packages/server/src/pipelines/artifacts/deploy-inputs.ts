import type { ArtifactRow } from './tables.ts'

/** The inputs of a deployment that release an artifact, as the bundled modules call them. */
export const deployInputsOf = ({ kind, key }: Pick<ArtifactRow, 'kind' | 'key'>): Record<string, string> =>
  kind === 'static' ? { directory: key } : { s3_key: key }
