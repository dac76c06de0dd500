import type { HoldReference, ModuleInstanceStatus, ServiceOrder, ServiceState } from '@sluice/contract'

/** Properties of an instance that filters need. */
export type ServiceInstance = {
  id: string
  givenId: string
  environmentId: string
  name: string
  type: string
  status: ModuleInstanceStatus
  runningId: string | null
  /** Names of those who requested the active and running deployments; loaded only on request. */
  releasedBy: string[]
  underWayId: string | null
  isPaused: boolean
  /** Number of deployments that wait behind the active one. */
  waiting: number
  /** Id of the latest ended deployment, if it failed. */
  failedId: string | null
  /** Oldest active hold. */
  hold: HoldReference | null
  driftedResources: number
}

export type ServiceFilter = {
  givenId?: string
  search?: string
  type?: readonly string[]
  state?: readonly ServiceState[]
  releasedBy?: string
  sort?: ServiceOrder
}

/** Instances with the same givenId. The ID is their position in the list, which is unique. */
export type Group = { id: string; givenId: string; places: ServiceInstance[] }

/** Returns all states of an instance. */
export function statesOf(place: ServiceInstance): ServiceState[] {
  const states: ServiceState[] = [
    ...(place.isPaused ? (['PAUSED'] as const) : []),
    ...(place.underWayId !== null ? (['IN_PROGRESS'] as const) : []),
    ...(place.failedId !== null || place.status === 'ERROR' ? (['FAILED'] as const) : []),
    ...(place.hold !== null ? (['HELD'] as const) : []),
    ...(place.driftedResources > 0 ? (['DRIFTED'] as const) : []),
    ...(place.runningId === null ? (['NOT_RELEASED'] as const) : []),
  ]
  return states.length === 0 ? ['STEADY'] : states
}

/** Returns the services with an instance that matches the filters, in their order and with all their instances. */
export function servicesOf(places: readonly ServiceInstance[], wanted: ServiceFilter): Group[] {
  const groups = [...Map.groupBy(places, ({ givenId }) => givenId)].map(([givenId, places]) => ({
    givenId,
    places,
    id: wanted.sort === 'PROBLEMS' ? `${problemRank(places)}:${givenId}` : givenId,
  }))
  return groups
    .filter(({ places }) => places.some((place) => isWanted(place, wanted)))
    .sort((a, b) => compare(a.id, b.id))
}

/** Returns the sort rank of a service: failures first, then releases that wait for a decision. */
function problemRank(places: readonly ServiceInstance[]): number {
  const states = places.flatMap(statesOf)
  const rank = problemStates.findIndex((state) => states.includes(state))
  return rank < 0 ? problemStates.length : rank
}

const problemStates = ['FAILED', 'PAUSED'] as const satisfies ServiceState[]

/**
 * Returns the promotion steps of a service: from each environment with a running release to the next one with an
 * instance.
 */
export function promotionSteps(
  { places }: Group,
  order: readonly string[],
): { fromEnvironmentId: string; environmentId: string; moduleInstanceId: string }[] {
  const inOrder = order.flatMap((id) => places.find(({ environmentId }) => environmentId === id) ?? [])
  return inOrder.flatMap(({ runningId, environmentId: fromEnvironmentId }, index) => {
    const next = inOrder[index + 1]
    if (runningId === null || !next) return []
    return [{ fromEnvironmentId, environmentId: next.environmentId, moduleInstanceId: next.id }]
  })
}

/** Compares texts independently of the machine's locale, so that pages are consistent. */
export const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

function isWanted(
  place: ServiceInstance,
  { givenId: wanted, search, type, state, releasedBy }: ServiceFilter,
): boolean {
  const { givenId, name } = place
  return (
    (wanted === undefined || givenId === wanted) &&
    (search === undefined || [givenId, name].some((text) => has(text, search))) &&
    (type === undefined || type.includes(place.type)) &&
    (state === undefined || statesOf(place).some((one) => state.includes(one))) &&
    (releasedBy === undefined || place.releasedBy.some((who) => has(who, releasedBy)))
  )
}

const has = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase())
