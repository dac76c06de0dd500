import { isObject } from '../../modules/module-instances/inputs/check.ts'
import type { StackTrigger } from '../../modules/module-instances/stack-block.ts'
import { matchesGlob } from '../../pipelines/pipeline-triggers/glob.ts'

type Json = Record<string, unknown>

/** Git event that triggers of stack blocks can match. */
export type GitEvent = {
  event: 'push' | 'pull_request'
  type: 'webhook:githosta' | 'webhook:githostb'
  /** Branch; for a pull request, the target branch. */
  branch: string
  /** Action of a pull request; undefined for a push. */
  action: string | undefined
  /** Null if the host does not send them: then any path may have changed. */
  changedPaths: readonly string[] | null
  /** The host's original payload; undefined if it was too large. */
  payload: Json | undefined
}

/** Pull request actions that add commits. Others, such as a changed title, need no plan. */
const defaultActions: readonly unknown[] = ['opened', 'synchronize', 'reopened']

/** Reports whether a trigger matches the event. The caller checks the repository. */
export function matchesGitEvent(
  { type, event, filter }: Pick<StackTrigger, 'type' | 'event' | 'filter'>,
  gitEvent: GitEvent,
) {
  const { branch, paths, action, payload } = filter
  if (type !== gitEvent.type || event !== gitEvent.event) return false
  if (typeof branch === 'string' && branch !== '' && !matchesGlob(branch, gitEvent.branch)) return false
  if (gitEvent.event === 'pull_request' && !(listOf(action) ?? defaultActions).includes(gitEvent.action)) return false
  const wanted = listOf(paths)
  const fits = (path: string) => wanted?.some((glob) => typeof glob === 'string' && matchesGlob(glob, path))
  if (wanted && gitEvent.changedPaths !== null && !gitEvent.changedPaths.some(fits)) return false
  return (listOf(payload) ?? []).every((part) => isObject(part) && holds(part, gitEvent.payload))
}

/** Returns the list; if it is empty or null, returns undefined, which matches anything. */
const listOf = (value: unknown): readonly unknown[] | undefined =>
  Array.isArray(value) && value.length > 0 ? value : undefined

/** Reports whether a field of the payload satisfies the filter; false without a payload. */
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

/** Kind of run: plan, approve and apply; only plan; or detect drift. */
export type Variant = 'standard' | 'plan' | 'drift'

/** Returns the variant that a trigger runs and its additional inputs. The default for a pull request is a plan. */
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
