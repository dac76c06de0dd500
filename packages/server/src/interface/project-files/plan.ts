import { isDeepStrictEqual } from 'node:util'
import { type ChangeByHand, type ProjectDocument, type ProjectDocumentKind, refusals } from '@sluice/contract'
import { placeFaults } from '../../cloud/execution-environments/machine.ts'
import { reachFaults, secretField } from '../../notifications/notification-channels/reach.ts'
import { present as given } from '../../platform/present.ts'
import type { Fault } from '../source-text/fault.ts'
import { type Difference, differencesBetween } from './difference.ts'
import { inOrder } from './order.ts'
import type { Written } from './read.ts'
import { fieldsOf, type HiddenField, type Key, keyFor, keyOf, type Look, type Present } from './record.ts'
import { namesSecret, type Reference, referencesOf, withIds } from './references.ts'

export type Change = {
  action: 'create' | 'change' | 'remove'
  key: Key
  /** What it shall be; of what is removed, what it is. */
  document: ProjectDocument
  /** Of what is there already. */
  id?: string
  /** Which of its fields are to change. */
  fields: string[]
  /** What that comes to, for people: no secret is in it. */
  differences: Difference[]
  /** What was done to it by hand since the files were applied, the latest first; absent where nothing was. */
  byHand?: ChangeByHand[]
}

/** What has to be done, in order. */
export type Plan = { changes: Change[]; unchanged: Key[] }

export type PlanWishes = {
  /** Whether what no file has is removed. */
  prune?: boolean
  /** Whether values that are never shown are set again, since nobody can compare them. */
  setSecrets?: boolean
  /**
   * Whether nobody here knows the variables that files name. What is there already is left alone then, where only the
   * secret could be another one.
   */
  withoutSecrets?: boolean
}

/** What turns what is there into what the files say, or why nothing can. */
export function planOf(written: readonly Written[], look: Look, wishes: PlanWishes): { plan: Plan; faults: Fault[] } {
  const faults: Fault[] = []
  const wanted = new Map(written.map(({ key, document }) => [key, document]))
  const gone = wishes.prune ? removable(look, wanted) : []
  const goneKeys = new Set(gone.map(({ document }) => keyOf(document)))
  const plan: Plan = { changes: [], unchanged: [] }
  const ordered = inOrder(written, ({ faultAt }, { key, path }) =>
    faults.push(faultAt('circular', path, `${key} needs this itself, so that neither can be made first`)),
  )
  for (const one of ordered) {
    faults.push(...faultsOf(one, { wanted, goneKeys, look }))
    if (wishes.withoutSecrets && namesSecret(one.shown)) {
      if (isLeftAlone(one, look)) plan.unchanged.push(one.key)
      else faults.push(one.faultAt('no-such-variable', '$', unknownSecret))
      continue
    }
    const change = changeOf(one, look, wishes)
    if (change) faults.push(...refusedChange(one, change, look.records.get(one.key)))
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

const isLeftAlone = ({ key, document: { kind } }: Written, { records }: Look): boolean =>
  (kind === 'DefaultValue' || kind === 'NotificationChannel') && records.has(key)

const unknownSecret =
  'this names a variable, and there are none where this is planned: apply it once where it is, as by sluice apply; the input of an instance takes it from a default value'

/** What is kept whatever the files say: the project itself, and what belongs to the organization. */
const kept: readonly ProjectDocumentKind[] = [
  'Project',
  'EnvironmentOrder',
  'DefaultValueDefinition',
  'ExecutionEnvironment',
  'ModuleDefinition',
  'ModuleVersion',
]

const removable = ({ records }: Look, wanted: ReadonlyMap<Key, ProjectDocument>): Present[] =>
  [...records].filter(([key, { document }]) => !wanted.has(key) && !kept.includes(document.kind)).map(([, one]) => one)

const removalOf = ({ id, document }: Present): Change => ({
  ...{ action: 'remove', key: keyOf(document), document, id },
  ...{ fields: [], differences: [] },
})

function changeOf({ key, document, shown }: Written, look: Look, wishes: PlanWishes): Change | undefined {
  const present = look.records.get(key)
  if (!present) {
    const differences = Object.entries(fieldsOf(shown)).flatMap(([name, value]) =>
      differencesBetween(undefined, value, name),
    )
    return { action: 'create', key, document, fields: Object.keys(fieldsOf(document)), differences }
  }
  const before = comparable(present.document, document)
  const after = fieldsOf(document)
  const idOf = (named: Key) => look.ids.get(named) ?? `<${named}>`
  const fields = Object.keys(after).filter((name) => {
    if (present.hidden === name) return wishes.setSecrets === true
    const [left, right] = [before[name], after[name]].map((value) => withIds(value, idOf))
    return !isDeepStrictEqual(likened(document, name, left), likened(document, name, right))
  })
  if (fields.length === 0) return undefined
  const shownFields = fieldsOf(shown)
  const differences = fields.flatMap((name) => {
    const [left, right] = hidden(present.hidden === name ? 0 : before[name], after[name], shownFields[name])
    return differencesBetween(left, right, name)
  })
  return { action: 'change', key, document, id: present.id, fields, differences }
}

/** Lists in which the order says nothing, which the service may keep in another one. */
const sets: Partial<Record<ProjectDocumentKind, string[]>> = {
  ApprovalRule: ['guards', 'teams'],
  Freeze: ['stops'],
  NotificationChannel: ['events', 'environments', 'recipients'],
}

/** As values are compared: sets in one order, and with what the service fills in. */
function likened({ kind }: ProjectDocument, name: string, value: unknown): unknown {
  if (Array.isArray(value) && sets[kind]?.includes(name)) return value.toSorted()
  if (kind === 'ExecutionEnvironment' && name === 'network' && value) return { assignPublicIp: false, ...value }
  return value
}

/** What is there of what can be said; an order may leave out the last of the environments. */
function comparable(present: ProjectDocument, document: ProjectDocument): Record<string, unknown> {
  const fields = fieldsOf(present)
  if (present.kind !== 'EnvironmentOrder' || document.kind !== 'EnvironmentOrder') return fields
  return { ...fields, environments: present.environments.slice(0, document.environments.length) }
}

/** What was and what shall be, with texts that hold secrets as the file has them. */
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

type Around = { wanted: ReadonlyMap<Key, ProjectDocument>; goneKeys: ReadonlySet<Key>; look: Look }

/** Whatever a document names must be there, or be made. */
function faultsOf({ key, document, shown, faultAt }: Written, { wanted, goneKeys, look }: Around): Fault[] {
  const faults: Fault[] = []
  if (look.ambiguous.has(key)) {
    faults.push(faultAt('ambiguous', '$.name', 'several of the project are called so; give them names of their own'))
  }
  const plain = plainSecretIn(shown, wanted, look)
  if (plain !== undefined) {
    const what = plain === 'value' ? 'values of this key are secrets' : 'what leads to such a channel is a secret'
    faults.push(faultAt('plain-secret', `$.${plain}`, `${what}, which are not written in files: name a variable`))
  }
  for (const line of wayFaults(document, look.records.get(key)?.document)) {
    const [path = '$'] = line.split(': ', 1)
    faults.push(faultAt(refusals.requestInvalid.code, path, line.slice(path.length + 2)))
  }
  for (const { key: named, path } of [...namedBy(document), ...referencesOf(document)]) {
    if (goneKeys.has(named)) faults.push(faultAt('not-there', path, `${named} is to be removed, since no file has it`))
    else if (!wanted.has(named) && !look.ids.has(named)) {
      faults.push(faultAt('not-there', path, `there is no ${named}, neither in the files nor in the service`))
    }
  }
  return faults
}

/** What leads to a channel, or where an execution environment is, depends on its type. */
function wayFaults(document: ProjectDocument, present: ProjectDocument | undefined): string[] {
  if (document.kind === 'NotificationChannel') {
    const there = present?.kind === document.kind ? present : undefined
    const { type = there?.type ?? 'WEBHOOK', team, url, routingKey, recipients, format } = document
    const reach = given({ url, routingKey, recipients, format, teamId: team })
    return asInFiles(reachFaults(type, reach, { isNew: !there }), { teamId: 'team' })
  }
  if (document.kind === 'ExecutionEnvironment') {
    const there = present?.kind === document.kind ? present : undefined
    const { type = there?.type ?? 'cloud', cloudAccount, region, network, size, clusterName } = document
    const place = given({ cloudAccountId: cloudAccount, region, network, size, clusterName })
    return asInFiles(placeFaults(type, place, there ? 'changes' : 'all'), { cloudAccountId: 'cloudAccount' })
  }
  return []
}

/** Lines about a body, with the names that its fields have in files. */
const asInFiles = (lines: readonly string[], names: Record<string, string>): string[] =>
  lines.map((line) => line.replace(/^\$\.data\.(\w+)/, (_, field: string) => `$.${names[field] ?? field}`))

/** The field that holds a secret as it is, where a variable should be named. */
function plainSecretIn(
  shown: ProjectDocument,
  wanted: ReadonlyMap<Key, ProjectDocument>,
  { records }: Look,
): HiddenField | undefined {
  if (shown.kind === 'NotificationChannel') {
    const field = secretField(shown.type ?? 'WEBHOOK')
    return field && shown[field] !== undefined && !namesSecret(shown[field]) ? field : undefined
  }
  if (shown.kind !== 'DefaultValue' || namesSecret(shown.value)) return undefined
  const key = keyFor('DefaultValueDefinition', shown.name)
  const definitions = [wanted.get(key), records.get(key)?.document]
  const isSecret = definitions.some((one) => one?.kind === 'DefaultValueDefinition' && one.isSensitive === true)
  return isSecret ? 'value' : undefined
}

/** What the fields of a document name; an environment goes without saying where an instance of it is named. */
export function namedBy(document: ProjectDocument): Reference[] {
  const inEnvironment = (name: string | undefined): Reference[] =>
    name === undefined ? [] : [{ key: keyFor('Environment', name), path: '$.environment' }]
  const inPlace = ({ environment, instance }: { environment?: string; instance?: string }): Reference[] =>
    instance === undefined
      ? inEnvironment(environment)
      : [{ key: keyFor('ModuleInstance', environment, instance), path: '$.instance' }]
  const inAccount = (name: string | undefined, path: string): Reference[] =>
    name === undefined ? [] : [{ key: keyFor('CloudAccount', name), path }]
  const teams = (names: readonly string[] = [], path: string): Reference[] =>
    names.map((name, index) => ({ key: `TEAM ${name}`, path: `${path}[${index}]` }))
  switch (document.kind) {
    case 'EnvironmentOrder':
    case 'NotificationChannel':
      return [
        ...(document.environments ?? []).map((name, index) => ({
          key: keyFor('Environment', name),
          path: `$.environments[${index}]`,
        })),
        ...('team' in document && document.team !== undefined
          ? [{ key: `TEAM ${document.team}`, path: '$.team' }]
          : []),
      ]
    case 'Environment':
      return inAccount(document.network?.cloudAccount, '$.network.cloudAccount')
    case 'ExecutionEnvironment':
      return inAccount(document.cloudAccount, '$.cloudAccount')
    case 'ExecutionAssignment': {
      const key = keyFor('ExecutionEnvironment', document.executionEnvironment)
      return [...inEnvironment(document.environment), { key, path: '$.executionEnvironment' }]
    }
    case 'Domain':
      return inEnvironment(document.environment)
    case 'DefaultValue':
      return [
        { key: keyFor('DefaultValueDefinition', document.name), path: '$.name' },
        ...inEnvironment(document.environment),
      ]
    case 'ModuleVersion':
      return [{ key: keyFor('ModuleDefinition', document.name), path: '$.name' }]
    case 'ModuleInstance': {
      const { environment, module, version } = document
      const versioned = { key: keyFor('ModuleVersion', `${module}@${version}`), path: '$.version' }
      const definition = { key: keyFor('ModuleDefinition', module), path: '$.module' }
      return [...inEnvironment(environment), definition, ...(version === undefined ? [] : [versioned])]
    }
    case 'RoleGrant':
      return [
        { key: `${document.principalType} ${document.name}`, path: '$.name' },
        ...inEnvironment(document.environment),
      ]
    case 'Freeze':
      return inPlace(document)
    case 'ApprovalRule':
      return [...inPlace(document), ...teams(document.teams, '$.teams')]
    case 'Policy':
      return [...inPlace(document), ...teams(document.approval?.teams, '$.approval.teams')]
    case 'DriftSchedule': {
      const { stack, pipeline } = document
      return [
        ...inPlace(document),
        ...(stack === undefined ? [] : [{ key: keyFor('Stack', stack), path: '$.stack' }]),
        ...(pipeline === undefined ? [] : [{ key: keyFor('Pipeline', pipeline), path: '$.pipeline' }]),
      ]
    }
    case 'PreviewTemplate': {
      const { environment, source, pipeline } = document
      return [
        ...inEnvironment(environment),
        { key: keyFor('CodeSource', source), path: '$.source' },
        ...(pipeline === undefined ? [] : [{ key: keyFor('Pipeline', pipeline), path: '$.pipeline' }]),
      ]
    }
    case 'PromotionRule':
      return (['from', 'to'] as const).map((side) => ({
        key: keyFor('Environment', document[side]),
        path: `$.${side}`,
      }))
    default:
      return []
  }
}

/** What the service would not let be changed. */
function refusedChange({ document, faultAt }: Written, change: Change, present: Present | undefined): Fault[] {
  if (!present) return []
  if (present.isForeign) {
    return [faultAt('cannot-change', '$', 'this belongs to the operator of the service, and is not changed by files')]
  }
  if (document.kind === 'ModuleVersion') {
    const message = `version ${document.version} is published with another ${change.fields.join(' and ')}; give this another number`
    return [faultAt('cannot-change', '$.version', message)]
  }
  if (document.kind === 'Policy' && change.fields.includes('guards')) {
    return [faultAt('cannot-change', '$.guards', 'what a policy guards stays as it was made; give this another name')]
  }
  const { kind } = document
  if ((kind === 'NotificationChannel' || kind === 'ExecutionEnvironment') && change.fields.includes('type')) {
    return [faultAt('cannot-change', '$.type', 'what it is stays as it was made; give this another name')]
  }
  if (kind === 'Domain') {
    return [faultAt('cannot-change', '$', 'a domain stays as it was made: remove it first, and it is made anew')]
  }
  if (document.kind === 'DefaultValueDefinition' && change.fields.includes('isSensitive')) {
    return [faultAt('cannot-change', '$.isSensitive', 'this was decided when the key was made, and stays so')]
  }
  return []
}
