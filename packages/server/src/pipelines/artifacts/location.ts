import type { ArtifactRow } from './tables.ts'

/** Where an artifact is, as people write it down. */
export const locationOf = ({ kind, bucket, key, digest }: Pick<ArtifactRow, 'kind' | 'bucket' | 'key' | 'digest'>) =>
  kind === 'image' ? `${bucket}/${key}@${digest}` : `s3://${bucket}/${key}`
