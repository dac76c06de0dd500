import { isObject } from '../../modules/module-instances/inputs/check.ts'
import type { StackTrigger } from '../../modules/module-instances/stack-block.ts'
import { matchesGlob } from '../../pipelines/pipeline-triggers/glob.ts'

type Json = Record<string, unknown>

/** What happened in a repository, as far as triggers of stack blocks can wait for it. */
export type GitEvent = {
  event: 'push' | 'pull_request'
  type: 'webhook:githosta' | 'webhook:githostb'
  /** Of a pull request, the one that it is to be merged into. */
  branch: string
  /** Of a pull request; a push has none. */
  action: string | undefined
  /** Null where the host does not tell: then it may be any. */
  changedPaths: readonly string[] | null
  /** In the host's own words; undefined where they were too many. */
  payload: Json | undefined
}

/** What a pull request does that brings commits: more would plan for a changed title. */
const usualActions: readonly unknown[] = ['opened', 'synchronize', 'reopened']

/** Whether a trigger waits for this; its repository is looked at elsewhere. */
export function waitsFor({ type, event, filter }: Pick<StackTrigger, 'type' | 'event' | 'filter'>, told: GitEvent) {
  const { branch, paths, action, payload } = filter
  if (type !== told.type || event !== told.event) return false
  if (typeof branch === 'string' && branch !== '' && !matchesGlob(branch, told.branch)) return false
  if (told.event === 'pull_request' && !(listOf(action) ?? usualActions).includes(told.action)) return false
  const wanted = listOf(paths)
  const fits = (path: string) => wanted?.some((glob) => typeof glob === 'string' && matchesGlob(glob, path))
  if (wanted && told.changedPaths !== null && !told.changedPaths.some(fits)) return false
  return (listOf(payload) ?? []).every((part) => isObject(part) && holds(part, told.payload))
}

/** Nil and an empty list are alike: anything fits. */
const listOf = (value: unknown): readonly unknown[] | undefined =>
  Array.isArray(value) && value.length > 0 ? value : undefined

/** Whether a part of the host's words is what the filter says; of words that were not kept nothing is known. */
function holds({ path, equals, not }: Json, payload: Json | undefined): boolean {
  if (payload === undefined) return false
  const found = String(path)
    .split('.')
    .reduce<unknown>((value, name) => (hasOwn(value, name) ? value[name] : undefined), payload)
  const is = (wanted: unknown) => (found ?? null) === (wanted ?? null)
  return isObject(not) ? !is(not.equals) : is(equals)
}

const hasOwn = (value: unknown, name: string): value is Json =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)

/** How a run goes: planned, approved and applied; planned alone; or looking for what others changed. */
export type Variant = 'standard' | 'plan' | 'drift'

/** The variant that a trigger runs, and what that adds to the inputs; of a pull request, a plan unless it says so. */
export function runOf({ event, run }: Pick<StackTrigger, 'event' | 'run'>): {
  variant: Exclude<Variant, 'drift'>
  input: unknown
} {
  const [named] = Object.keys(run)
  const usual = event === 'pull_request' ? 'plan' : 'standard'
  const variant = named === 'plan' || named === 'standard' ? named : usual
  const own = run[variant]
  return { variant, input: isObject(own) ? own.input : undefined }
}
