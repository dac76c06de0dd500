import { type TObject, type TSchema, Type } from 'typebox'
import type { Tag } from '../cloud/tags.ts'
import { type ApiErrorKey, commonErrors, guardErrors } from '../errors.ts'
import type { Permission } from '../identity/permissions.ts'

/** Required access: anyone, any authenticated caller, or a caller with the permission. */
export type Access = 'anyone' | 'caller' | Permission

/** Types of resources in a project or environment, which determine the scope of an operation. */
export type ScopedRecord =
  | 'projects'
  | 'environments'
  | 'module-instances'
  | 'deployments'
  | 'pipelines'
  | 'pipeline-versions'
  | 'pipeline-runs'
  /** Step that waits for a decision. Its scope is the scope of the operations that it approves. */
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
  /** Parent of a default value: the organization, a project or an environment. */
  | 'default-value-parents'

/** Fields of a request that determine its scope, with the type of resource that each contains. */
export type ActsOn = {
  readonly params?: Readonly<Record<string, ScopedRecord>>
  /** Fields of the body's `data`. A field can contain a list. */
  readonly body?: Readonly<Record<string, ScopedRecord>>
}

/** Operation of the API: its request, its required access, and all of its responses. */
export interface Route {
  readonly operationId: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Path with `{name}` for each path parameter. */
  readonly path: `/${string}`
  readonly tag: Tag
  readonly summary: string
  readonly permission: Access
  /**
   * Resources in whose scope the permission is required. Absent if it is required in the organization, where roles on
   * projects and environments do not count.
   */
  readonly on?: ActsOn
  readonly params?: TObject
  readonly query?: TObject
  /** Whether the operation is allowed while the organization is scheduled for deletion. */
  readonly whileEnding?: true
  /** Whether the operation stops or reverts work although it creates a resource: it is control, not work. */
  readonly isUrgent?: true
  /** Schema of the body. Absent if the operation takes no body; an empty body and `{}` are accepted then. */
  readonly body?: TSchema
  /** Maximum size of the body in bytes; larger bodies return 413. Defaults to 1 MiB. */
  readonly maxBodyBytes?: number
  readonly response: readonly [status: number, body: TSchema]
  /** Media type of the response. Defaults to JSON. */
  readonly responseType?: string
  /** Whether the rows are also available as CSV, with `format=csv` or `Accept: text/csv`. */
  readonly asCsv?: true
  /** Additional success statuses. They have the same body, except 204, which has none. */
  readonly otherStatuses?: readonly number[]
  /** Errors specific to the operation, besides `commonErrors` and, with authentication, `guardErrors`. */
  readonly errors: readonly ApiErrorKey[]
}

/** Maximum body size in bytes for unauthenticated callers, generous for a form filled in by a user. */
export const formBodyBytes = 16 * 1024

/** Maximum body size in bytes for configurations. */
export const configBodyBytes = 4 * 1024 * 1024

/** Response without a body. */
export const noContent = [204, Type.Void({ description: 'No content.' })] as const

/** Returns whether the response has a body. Deletions and redirects have none. */
export const hasResponseBody = ({ response: [, schema] }: Route): boolean =>
  !['void', 'undefined'].includes(Reflect.get(schema, 'type'))

/**
 * Returns whether the operation creates a resource for a caller, so that the request can be repeated with an
 * `Idempotency-Key`.
 */
export const isRepeatable = ({
  method,
  permission,
  response,
}: Pick<Route, 'method' | 'permission' | 'response'>): boolean =>
  method === 'POST' && response[0] === 201 && permission !== 'anyone'

/** Classes of operations, in the order in which a busy service serves them. */
export const requestClasses = ['control', 'read', 'work'] as const

/** Class of an operation: it controls existing work, reads, or creates work. */
export type RequestClass = (typeof requestClasses)[number]

/** Returns the class of an operation. Operations that create a resource are work, except approvals and urgent ones. */
export function requestClassOf(route: Pick<Route, 'method' | 'permission' | 'response' | 'isUrgent'>): RequestClass {
  const { method, permission, isUrgent } = route
  if (method === 'GET' || permission.endsWith(':read')) return 'read'
  return isRepeatable(route) && permission !== 'approvals:write' && isUrgent !== true ? 'work' : 'control'
}

/**
 * Returns whether the operation changes the organization's data, which is rejected while the organization is scheduled
 * for deletion. Changes of the caller's own settings are allowed.
 */
export const changesOrganization = ({ method, permission, whileEnding }: Route): boolean =>
  method !== 'GET' && permission !== 'anyone' && permission !== 'caller' && whileEnding !== true

/** Returns all errors of an operation, including those that routes do not declare. */
export const errorsOf = (route: Route): ApiErrorKey[] => [
  ...new Set<ApiErrorKey>([
    ...commonErrors,
    ...(route.permission === 'anyone' ? [] : guardErrors),
    ...(isRepeatable(route) ? (['idempotencyKeyReused'] as const) : []),
    ...(changesOrganization(route) ? (['organizationEnding'] as const) : []),
    ...route.errors,
  ]),
]

export type RouteTable = Readonly<Record<string, Route>>
