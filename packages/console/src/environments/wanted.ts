import type { ModuleInstanceStatus } from '@sluice/contract'

export const statuses = [
  'PENDING',
  'ACTIVE',
  'UPDATING',
  'ERROR',
  'DESTROYING',
] as const satisfies ModuleInstanceStatus[]

/** What module instances are narrowed to, as the address of their page keeps it. */
export type Wanted = { search?: string; status?: ModuleInstanceStatus[] }

/** What an address says of that; the rest of it is left out, and so is what narrows nothing. */
export function wantedIn({ search, status }: Record<string, unknown>): Wanted {
  const known = statuses.filter((one) => [status].flat().includes(one))
  return {
    ...(typeof search === 'string' && search !== '' && { search }),
    ...(known.length > 0 && { status: known }),
  }
}
