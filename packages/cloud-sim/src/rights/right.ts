import type { Caller } from '../callers.ts'
import type { HttpRequest } from '../wire/protocol.ts'
import type { World } from '../world.ts'

/** What a caller's role must allow. */
export interface Right {
  /** Such as `ecs:UpdateService`. */
  action: string
  /** An ARN, or `*` where the action is one on no resource. */
  resource: string
  /** What conditions may ask beside what holds of every request. */
  context?: Record<string, string>
}

export interface Where {
  world: World
  caller: Caller
  request: HttpRequest
}

/** What an operation takes. A mere ARN is what the action of the operation's own name is done to. */
export type Needed = string | Right | readonly (string | Right)[]

/**
 * By operation what it takes, as the service authorization reference has it; an operation that is not in it takes its
 * own action on `*`. Each names the input that it expects: see `operations`.
 */
export type RightsTable = Readonly<Record<string, (input: object, where: Where) => Needed>>

export const rights = (table: Record<string, (input: never, where: Where) => Needed>): RightsTable =>
  table as unknown as RightsTable

/** The rights that an operation takes; `ownAction` is the action of its own name. */
export function rightsOf(
  table: RightsTable,
  operation: string,
  ownAction: string,
  input: object,
  where: Where,
): Right[] {
  const needed = table[operation]?.(input, where) ?? '*'
  const all = typeof needed === 'string' || !Array.isArray(needed) ? [needed as string | Right] : needed
  return all.map((one) => (typeof one === 'string' ? { action: ownAction, resource: one } : one))
}

/** The right to hand roles to a service, which then acts with them; a role may be named without its ARN. */
export function passing(
  service: string,
  roles: readonly (string | undefined)[],
  { caller }: Pick<Where, 'caller'>,
): Right[] {
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
