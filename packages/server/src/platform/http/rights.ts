import type { ActsOn, Permission, Route, ScopedRecord } from '@sluice/contract'
import { hasOneAnswer, permissionsOn, type Scope } from '../auth/access.ts'
import { type Caller, mayDo } from '../auth/caller.ts'
import type { Db } from '../db/open.ts'
import type { Input } from './input.ts'
import { Refusal } from './refusal.ts'

/** Records that a request names, by their ids. */
export type NamedRecords = { record: ScopedRecord; ids: string[] }

/** Finds where records are; `organization` for those that are in no project. What is not there is left out. */
export type FindScopes = (
  db: Db,
  organizationId: string,
  named: readonly NamedRecords[],
) => Promise<(Scope | 'organization')[]>

/**
 * Refuses a request that acts where its caller may not. The guard has let in everybody who may somewhere; what a
 * request names and nobody finds is left to its handler, which says so.
 */
export async function expectRights(
  findScopes: FindScopes,
  { needs, on }: Pick<Route, 'needs' | 'on'>,
  { input, caller, db }: { input: Input; caller: Caller; db: Db },
): Promise<void> {
  if (!on || needs === 'anyone' || needs === 'caller' || hasOneAnswer(caller.access)) return
  const named = recordsNamed(on, input)
  const places = named.length === 0 ? ['organization' as const] : await findScopes(db, caller.organizationId, named)
  for (const place of places) {
    const isAllowed = place === 'organization' ? mayDo(caller, needs) : permissionsOn(caller.access, place).has(needs)
    if (!isAllowed) throw forbiddenIn(place, needs)
  }
}

function recordsNamed({ params = {}, body = {} }: ActsOn, input: Input): NamedRecords[] {
  const data = fieldOf(input.body, 'data')
  return [
    ...Object.entries(params).map(([field, record]) => ({ record, ids: idsIn(fieldOf(input.params, field)) })),
    ...Object.entries(body).map(([field, record]) => ({ record, ids: idsIn(fieldOf(data, field)) })),
  ].filter(({ ids }) => ids.length > 0)
}

const fieldOf = (holder: unknown, field: string): unknown =>
  typeof holder === 'object' && holder !== null ? Reflect.get(holder, field) : undefined

const idsIn = (value: unknown): string[] => [value].flat().filter((one) => typeof one === 'string')

function forbiddenIn(place: Scope | 'organization', permission: Permission): Refusal {
  if (place === 'organization') {
    return new Refusal('forbidden', `Your role in the organization lacks the permission ${permission}.`)
  }
  const { projectId, environmentId } = place
  const where = environmentId === undefined ? `project ${projectId}` : `environment ${environmentId}`
  return new Refusal('forbidden', `Your roles lack the permission ${permission} in the ${where}.`, {
    description: 'GET /permissions says what they allow there; an owner can give you a role there.',
    metadata: { permission, projectId, ...(environmentId !== undefined && { environmentId }) },
  })
}
