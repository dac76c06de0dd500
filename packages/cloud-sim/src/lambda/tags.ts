import type { Caller } from '../callers.ts'
import type { HttpRequest } from '../wire/protocol.ts'
import { noContent } from '../wire/rest.ts'
import type { World } from '../world.ts'
import { findFunction } from './records.ts'
import { type LambdaFunction, lambda } from './state.ts'

interface TagsInput {
  Resource?: string
  Tags?: Record<string, string>
}

export const listTags = (world: World, caller: Caller, input: TagsInput) => ({ Tags: find(world, caller, input).tags })

export function tagResource(world: World, caller: Caller, input: TagsInput) {
  const row = find(world, caller, input)
  lambda(world).functions.save(Object.assign(row, { tags: { ...row.tags, ...input.Tags } }))
  return noContent()
}

export function untagResource(world: World, caller: Caller, input: TagsInput, { url }: HttpRequest) {
  const row = find(world, caller, input)
  const gone = url.searchParams.getAll('tagKeys')
  const tags = Object.fromEntries(Object.entries(row.tags).filter(([name]) => !gone.includes(name)))
  lambda(world).functions.save(Object.assign(row, { tags }))
  return noContent()
}

const find = (world: World, caller: Caller, { Resource = '' }: TagsInput): LambdaFunction =>
  findFunction(world, caller, { FunctionName: Resource })
