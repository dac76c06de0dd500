import type { ModuleInstanceStatus } from '@sluice/contract'

export const instanceStatuses = [
  'PENDING',
  'ACTIVE',
  'UPDATING',
  'ERROR',
  'DESTROYING',
] as const satisfies ModuleInstanceStatus[]

/** Filters of module instances, held in the address. */
export type InstanceFilters = { search?: string; status?: ModuleInstanceStatus[] }

/** Parses the filters in an address and drops unknown or empty values. */
export function parseInstanceFilters({ search, status }: Record<string, unknown>): InstanceFilters {
  const known = instanceStatuses.filter((one) => [status].flat().includes(one))
  return {
    ...(typeof search === 'string' && search !== '' && { search }),
    ...(known.length > 0 && { status: known }),
  }
}
