import type { Tag } from '@aws-sdk/client-ecs'
import { invalidParameter } from '../errors.ts'

/** Maximum number of tags per resource. */
export const maxTagsPerResource = 50

/** Checks tags. Keys that start with `aws:` are reserved. */
export function checkTags(tags: Tag[]): void {
  const keys = new Set<string>()
  for (const { key = '' } of tags) {
    if (/^aws:/i.test(key)) throw invalidParameter('aws: prefixed tag key names are not allowed for external use.')
    if (keys.has(key.toLowerCase()))
      throw invalidParameter('Duplicate tag keys found. Please note that Tag keys are case insensitive.')
    keys.add(key.toLowerCase())
  }
  if (tags.length > maxTagsPerResource)
    throw invalidParameter(`A resource can have at most ${maxTagsPerResource} tags.`)
}
