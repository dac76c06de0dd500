import { isDeepStrictEqual } from 'node:util'
import { apiErrors, type ManualChange, type ProjectDocument } from '@sluice/contract'
import type { FileProblem } from '../source-text/fault.ts'
import { type Difference, differencesBetween } from './difference.ts'
import type { Key } from './key.ts'
import type { ProjectRecord, ProjectState, SecretField } from './kind.ts'
import { fieldsOf, keyOf, kindOf, namedBy } from './kinds.ts'
import { inOrder } from './order.ts'
import type { Written } from './read.ts'
import { namesSecret, referencesOf, withIds } from './references.ts'

export type Change = {
  action: 'create' | 'change' | 'remove'
  key: Key
  /** Document to create or apply; for a removal, the existing one. */
  document: ProjectDocument
  /** Id of an existing record. */
  id?: string
  /** Fields that change. */
  fields: string[]
  /** Differences for display, without secrets. */
  differences: Difference[]
  /** Manual changes since the files were applied, latest first; absent if there are none. */
  byHand?: ManualChange[]
}

/** Changes in the order of execution. */
export type Plan = { changes: Change[]; unchanged: Key[] }

export type PlanOptions = {
  /** Whether to remove records that are in no file. */
  prune?: boolean
  /** Whether to set secret values again, because they cannot be compared. */
  setSecrets?: boolean
  /**
   * Whether the variables in files are unknown. If so, existing records whose only difference could be a secret stay
   * unchanged.
   */
  withoutSecrets?: boolean
}

/** Returns the changes from the existing state to the files, or the errors that prevent them. */
export function planOf(
  written: readonly Written[],
  state: ProjectState,
  wishes: PlanOptions,
): { plan: Plan; faults: FileProblem[] } {
  const faults: FileProblem[] = []
  const wanted = new Map(written.map(({ key, document }) => [key, document]))
  const gone = wishes.prune ? removable(state, wanted) : []
  const goneKeys = new Set(gone.map(({ document }) => keyOf(document)))
  const plan: Plan = { changes: [], unchanged: [] }
  const ordered = inOrder(written, ({ faultAt }, { key, path }) =>
    faults.push(faultAt('circular', path, `${key} needs this itself, so that neither can be made first`)),
  )
  for (const one of ordered) {
    faults.push(...faultsOf(one, { wanted, goneKeys, state }))
    if (wishes.withoutSecrets && namesSecret(one.shown)) {
      if (isLeftAlone(one, state)) plan.unchanged.push(one.key)
      else faults.push(one.faultAt('no-such-variable', '$', unknownSecret))
      continue
    }
    const change = changeOf(one, state, wishes)
    if (change) faults.push(...refusedChange(one, change, state.records.get(one.key)))
    if (change) plan.changes.push(change)
    else plan.unchanged.push(one.key)
  }
  plan.changes.push(
    ...inOrder(gone, () => undefined)
      .toReversed()
      .map(removalOf),
  )
  return { plan, faults }
}

const isLeftAlone = ({ key, document }: Written, { records }: ProjectState): boolean =>
  kindOf(document).secretField !== undefined && records.has(key)

const unknownSecret =
  'this names a variable, and there are none where this is planned: apply it once where it is, as by sluice apply; the input of an instance takes it from a default value'

const removable = ({ records }: ProjectState, wanted: ReadonlyMap<Key, ProjectDocument>): ProjectRecord[] =>
  [...records].flatMap(([key, record]) => (wanted.has(key) || !kindOf(record.document).remove ? [] : [record]))

const removalOf = ({ id, document }: ProjectRecord): Change => ({
  action: 'remove',
  key: keyOf(document),
  document,
  id,
  fields: [],
  differences: [],
})

function changeOf({ key, document, shown }: Written, state: ProjectState, wishes: PlanOptions): Change | undefined {
  const present = state.records.get(key)
  if (!present) {
    const differences = Object.entries(fieldsOf(shown)).flatMap(([name, value]) =>
      differencesBetween(undefined, value, name),
    )
    return { action: 'create', key, document, fields: Object.keys(fieldsOf(document)), differences }
  }
  const before = kindOf(document).comparable?.(present.document, document) ?? fieldsOf(present.document)
  const after = fieldsOf(document)
  const idOf = (named: Key) => state.ids.get(named) ?? `<${named}>`
  const fields = Object.keys(after).filter((name) => {
    if (present.hidden === name) return wishes.setSecrets === true
    const [left, right] = [before[name], after[name]].map((value) => withIds(value, idOf))
    return !isDeepStrictEqual(normalized(document, name, left), normalized(document, name, right))
  })
  if (fields.length === 0) return undefined
  const shownFields = fieldsOf(shown)
  const differences = fields.flatMap((name) => {
    const [left, right] = hidden(present.hidden === name ? 0 : before[name], after[name], shownFields[name])
    return differencesBetween(left, right, name)
  })
  return { action: 'change', key, document, id: present.id, fields, differences }
}

/** Returns a value as values are compared: with unordered lists sorted, and the service's defaults filled in. */
function normalized(document: ProjectDocument, field: string, value: unknown): unknown {
  const { unordered, normalize } = kindOf(document)
  if (Array.isArray(value) && unordered?.includes(field)) return value.toSorted()
  return normalize ? normalize(field, value) : value
}

/** Returns the old and new value for display, with texts that contain secrets as in the file. */
function hidden(before: unknown, after: unknown, shown: unknown): [unknown, unknown] {
  if (!namesSecret(shown)) return [before, after]
  if (typeof shown === 'string') return [before === after ? shown : '(hidden)', shown]
  const of = (value: unknown, name: string) =>
    typeof value === 'object' && value ? Reflect.get(value, name) : undefined
  const pairs = Object.entries(shown ?? {}).map(([name, inner]) => {
    return [name, hidden(of(before, name), of(after, name), inner)] as const
  })
  const side = (index: 0 | 1) => pairs.map(([name, both]) => [name, both[index]] as const)
  if (Array.isArray(shown)) return [side(0).map(([, item]) => item), side(1).map(([, item]) => item)]
  const others = Object.entries(typeof before === 'object' && before ? before : {}).filter(
    ([name]) => !Object.hasOwn(shown ?? {}, name),
  )
  const left = [...side(0), ...others].filter(([, value]) => value !== undefined)
  return [Object.fromEntries(left), Object.fromEntries(side(1))]
}

type Around = { wanted: ReadonlyMap<Key, ProjectDocument>; goneKeys: ReadonlySet<Key>; state: ProjectState }

/** Returns references to records that neither exist nor are created. */
function faultsOf({ key, document, shown, faultAt }: Written, { wanted, goneKeys, state }: Around): FileProblem[] {
  const faults: FileProblem[] = []
  if (state.ambiguous.has(key)) {
    faults.push(faultAt('ambiguous', '$.name', 'several of the project are called so; give them names of their own'))
  }
  const plain = plainSecretIn(shown, wanted, state)
  if (plain !== undefined) {
    const what = plain === 'value' ? 'values of this key are secrets' : 'what leads to such a channel is a secret'
    faults.push(faultAt('plain-secret', `$.${plain}`, `${what}, which are not written in files: name a variable`))
  }
  for (const line of kindOf(document).faults?.(document, state.records.get(key)?.document) ?? []) {
    const [path = '$'] = line.split(': ', 1)
    faults.push(faultAt(apiErrors.requestInvalid.code, path, line.slice(path.length + 2)))
  }
  for (const { key: named, path } of [...namedBy(document), ...referencesOf(document)]) {
    if (goneKeys.has(named)) faults.push(faultAt('not-there', path, `${named} is to be removed, since no file has it`))
    else if (!wanted.has(named) && !state.ids.has(named)) {
      faults.push(faultAt('not-there', path, `there is no ${named}, neither in the files nor in the service`))
    }
  }
  return faults
}

/** Returns the field that contains a secret although it must name a variable. */
function plainSecretIn(
  shown: ProjectDocument,
  wanted: ReadonlyMap<Key, ProjectDocument>,
  { records }: ProjectState,
): SecretField | undefined {
  const find = (key: Key) => [wanted.get(key), records.get(key)?.document].filter((one) => one !== undefined)
  const field = kindOf(shown).secretField?.(shown, find)
  const value = field && Reflect.get(shown, field)
  return value === undefined || namesSecret(value) ? undefined : field
}

/** Returns the errors of a change that the service would reject. */
function refusedChange(
  { document, faultAt }: Written,
  change: Change,
  record: ProjectRecord | undefined,
): FileProblem[] {
  if (!record) return []
  if (record.isForeign) {
    return [faultAt('cannot-change', '$', 'this belongs to the operator of the service, and is not changed by files')]
  }
  const rejection = kindOf(document).rejectChange?.(document, change.fields)
  return rejection ? [faultAt('cannot-change', rejection.path, rejection.message)] : []
}
