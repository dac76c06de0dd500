import type { Caller } from '../callers.ts'
import type { HttpRequest } from '../wire/protocol.ts'
import type { World } from '../world.ts'

/** Permission that a caller's role must have. */
export interface IamPermission {
  /** IAM action such as `ecs:UpdateService`. */
  action: string
  /** ARN, or `*` for an action without resources. */
  resource: string
  /** Condition keys in addition to the global ones. */
  context?: Record<string, string>
}

export interface PermissionContext {
  world: World
  caller: Caller
  request: HttpRequest
}

/** Permissions that an operation requires. A plain ARN means the operation's own action on it. */
export type RequiredIamPermissions = string | IamPermission | readonly (string | IamPermission)[]

/**
 * Required permissions by operation, as in the service authorization reference. An operation without an entry requires
 * its own action on `*`. For input types, see `operations`.
 */
export type IamPermissionTable = Readonly<
  Record<string, (input: object, where: PermissionContext) => RequiredIamPermissions>
>

export const defineIamPermissions = (
  table: Record<string, (input: never, where: PermissionContext) => RequiredIamPermissions>,
): IamPermissionTable => table as unknown as IamPermissionTable

/** Returns the permissions that an operation requires; `ownAction` is the action with its name. */
export function requiredPermissionsOf(
  table: IamPermissionTable,
  operation: string,
  ownAction: string,
  input: object,
  where: PermissionContext,
): IamPermission[] {
  const needed = table[operation]?.(input, where) ?? '*'
  const all = typeof needed === 'string' || !Array.isArray(needed) ? [needed as string | IamPermission] : needed
  return all.map((one) => (typeof one === 'string' ? { action: ownAction, resource: one } : one))
}

/** Returns the permission to pass roles to a service. A role may be given by name. */
export function passRolePermissionsFor(
  service: string,
  roles: readonly (string | undefined)[],
  { caller }: Pick<PermissionContext, 'caller'>,
): IamPermission[] {
  const [partition] = caller.arn.split(':').slice(1)
  return roles.flatMap((role) =>
    role
      ? {
          action: 'iam:PassRole',
          resource: role.startsWith('arn:') ? role : `arn:${partition}:iam::${caller.accountId}:role/${role}`,
          context: { 'iam:PassedToService': service },
        }
      : [],
  )
}
