import type { ArtifactRow } from './tables.ts'

/** Returns the location of an artifact as a URL or image reference. */
export const locationOf = ({ kind, bucket, key, digest }: Pick<ArtifactRow, 'kind' | 'bucket' | 'key' | 'digest'>) =>
  kind === 'image' ? `${bucket}/${key}@${digest}` : `s3://${bucket}/${key}`
