import { hex } from '../ids.ts'
import type { World } from '../world.ts'
import { s3 } from './state.ts'
import { keyOf } from './versions.ts'

/** Bucket with directories that have files. */
export interface ImportedBucket {
  name: string
  region: string
  account: string
  directories: readonly string[]
}

/** Creates a bucket with one empty file in each directory. */
export function importBucket(world: World, { name: key, region, account, directories }: ImportedBucket): void {
  const now = world.clock.timestamp()
  s3(world).buckets.save({ key, account, region, createdAt: now, settings: {} })
  for (const directory of directories) {
    const name = `${directory}/index.html`
    const file = { etag: `"${hex(32)}"`, content: '', size: 0, modifiedAt: now, headers: {} }
    s3(world).objects.save({ key: keyOf(key, name), bucket: key, name, ...file })
  }
}
