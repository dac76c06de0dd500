import type { CloudClients } from '../../cloud/adapter/access.ts'
import { deleteImage } from '../../cloud/adapter/registry.ts'
import { deleteVersions } from '../../cloud/adapter/storage.ts'
import type { ArtifactRow } from './tables.ts'

type DeletionCallbacks = {
  /** Callback before every request that deletes something; if it throws, the request is not sent. */
  beforeSend: () => void
  /** Callback after the first deletion. */
  touched: () => void
}

/** Deletes all objects or images of an artifact in the cloud. Missing ones are ignored. */
export async function deleteArtifact(
  { images, storage }: Pick<CloudClients, 'images' | 'storage'>,
  { kind, bucket, key, digest }: ArtifactRow,
  { beforeSend, touched }: DeletionCallbacks,
): Promise<void> {
  if (kind === 'image') return deleteImage(images, key, digest, beforeSend)
  const isOwn = kind === 'static' ? () => true : (name: string) => name === key
  const prefix = kind === 'static' ? `${key}/` : key
  for await (const count of deleteVersions(storage, { bucket, prefix, isOwn }, beforeSend)) if (count > 0) touched()
}
