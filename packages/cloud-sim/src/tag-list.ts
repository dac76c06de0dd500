import { CloudError } from './errors.ts'

/** Tag in the format of most services. */
export interface ListTag {
  Key?: string | undefined
  Value?: string | undefined
}

const maxTags = 50

/** Merges tags. Reserved ones cannot be set. */
export function withTags(there: ListTag[], given: ListTag[]): ListTag[] {
  if (given.some(({ Key = '' }) => /^aws:/i.test(Key))) {
    throw new CloudError('ValidationException', 'aws: prefixed tag key names are not allowed for external use.')
  }
  if (new Set(given.map(({ Key }) => Key)).size < given.length) {
    throw new CloudError('ValidationException', 'Duplicate tag keys are not allowed in a request.')
  }
  const tags = [
    ...withoutTags(
      there,
      given.map(({ Key = '' }) => Key),
    ),
    ...given,
  ]
  if (tags.length > maxTags) throw new CloudError('TooManyTagsError', `A resource can have at most ${maxTags} tags.`)
  return tags
}

export const withoutTags = (there: ListTag[], keys: string[]): ListTag[] =>
  there.filter(({ Key = '' }) => !keys.includes(Key))
