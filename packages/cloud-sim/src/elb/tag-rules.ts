import type { Tag } from '@aws-sdk/client-elastic-load-balancing-v2'
import { CloudError } from '../errors.ts'

/** Returns the tags. Throws if a key occurs twice. */
export function checkTags(tags: Tag[] = []): Tag[] {
  if (new Set(tags.map(({ Key }) => Key)).size === tags.length) return tags
  throw new CloudError('DuplicateTagKeys', 'A tag key was specified more than once')
}
