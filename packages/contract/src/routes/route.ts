import { type TObject, type TSchema, Type } from 'typebox'
import type { Tag } from '../cloud/tags.ts'
import { commonRefusals, guardRefusals, type RefusalKey } from '../errors.ts'
import type { Permission } from '../identity/permissions.ts'

/** Who may call: anyone, any authenticated caller, or a caller with the permission. */
export type Access = 'anyone' | 'caller' | Permission

/** Records that are in a project, or in one of its environments: by them it is known where an operation acts. */
export type ScopedRecord =
  | 'projects'
  | 'environments'
  | 'module-instances'
  | 'deployments'
  | 'pipelines'
  | 'pipeline-versions'
  | 'pipeline-runs'
  /** A step that waits for a decision: it acts where what it lets go on does. */
  | 'approvals'
  | 'stacks'
  | 'stack-workspaces'
  | 'iac-state-versions'
  | 'default-values'
  | 'domains'
  | 'freezes'
  | 'holds'
  | 'approval-rules'
  | 'promotion-rules'
  | 'preview-templates'
  | 'preview-environments'
  | 'watched-repositories'
  | 'policies'
  /** What a default value belongs to: the organization, a project or an environment. */
  | 'default-value-parents'

/** The fields of a request that say where it acts, each with what it names. */
export type ActsOn = {
  readonly params?: Readonly<Record<string, ScopedRecord>>
  /** Of its `data`; a field may hold a list. */
  readonly body?: Readonly<Record<string, ScopedRecord>>
}

/** One operation of the interface: what can be asked, who may ask, and every way it can be answered. */
export interface Route {
  readonly operationId: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** With `{name}` for each path parameter. */
  readonly path: `/${string}`
  readonly tag: Tag
  readonly summary: string
  readonly needs: Access
  /**
   * Where the permission is needed: in the projects and environments of these records. Absent: in the organization,
   * where roles on projects and environments do not count.
   */
  readonly on?: ActsOn
  readonly params?: TObject
  readonly query?: TObject
  /** Whether it is done also in an organization that is to be deleted, in which nothing else is changed. */
  readonly whileEnding?: true
  /** Absent: the operation takes no body; an empty one and `{}` are let through. */
  readonly body?: TSchema
  /** A larger body is 413. Absent: 1 MiB. */
  readonly maxBodyBytes?: number
  readonly reply: readonly [status: number, body: TSchema]
  /** What the reply's body is, where it is not JSON: a text or a stream of it. */
  readonly replyType?: string
  /** Whether its rows are also to be had as a table, where `format=csv` or `Accept: text/csv` asks for it. */
  readonly asCsv?: true
  /** Other statuses with a body of the same shape as the reply's; 204 has none. */
  readonly alsoReplies?: readonly number[]
  /**
   * The refusals of its own; those in `commonRefusals`, and 401 and 403 where a caller is needed, go without saying.
   */
  readonly refuses: readonly RefusalKey[]
}

/** What the body of a stranger may weigh: a form that a person fills in, many times over. */
export const formBodyBytes = 16 * 1024

/** What a body that carries a configuration may weigh. */
export const configBodyBytes = 4 * 1024 * 1024

/** The reply of an operation that answers without a body. */
export const noContent = [204, Type.Void({ description: 'Nothing.' })] as const

/** Whether its answer has a body: a delete has none, nor has a redirect. */
export const answersWithBody = ({ reply: [, schema] }: Route): boolean =>
  !['void', 'undefined'].includes(Reflect.get(schema, 'type'))

/** Whether it makes a record for a caller: such a request may be repeated under an `Idempotency-Key`. */
export const isRepeatable = ({ method, needs, reply }: Route): boolean =>
  method === 'POST' && reply[0] === 201 && needs !== 'anyone'

/** Whether it changes something of the organization: not where that is to be deleted. What is one's own goes on. */
export const needsLasting = ({ method, needs, whileEnding }: Route): boolean =>
  method !== 'GET' && needs !== 'anyone' && needs !== 'caller' && whileEnding !== true

/** Every way it can be refused, including those that go without saying. */
export const refusalsOf = (route: Route): RefusalKey[] => [
  ...new Set<RefusalKey>([
    ...commonRefusals,
    ...(route.needs === 'anyone' ? [] : guardRefusals),
    ...(isRepeatable(route) ? (['idempotencyKeyReused'] as const) : []),
    ...(needsLasting(route) ? (['organizationEnding'] as const) : []),
    ...route.refuses,
  ]),
]

export type RouteTable = Readonly<Record<string, Route>>
