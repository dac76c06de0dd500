import type { HoldReference, ModuleInstanceStatus, ServiceState } from '@sluice/contract'

/** What is known of an instance before anything is read that is only shown. */
export type Standing = {
  id: string
  givenId: string
  environmentId: string
  name: string
  type: string
  status: ModuleInstanceStatus
  runningId: string | null
  /** Who asked for what runs and what is under way; only read where somebody asks for it. */
  releasedBy: string[]
  underWayId: string | null
  isPaused: boolean
  /** How many wait behind the one that is under way. */
  waiting: number
  /** The latest deployment that ended, where it failed. */
  failedId: string | null
  /** The oldest that holds it. */
  hold: HoldReference | null
  driftedResources: number
}

export type Wanted = {
  search?: string
  type?: readonly string[]
  state?: readonly ServiceState[]
  releasedBy?: string
}

/** The instances with the same givenId. */
export type Group = { id: string; places: Standing[] }

/** All that there is to say of an instance. */
export function statesOf(place: Standing): ServiceState[] {
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

/** The services that one place at least makes wanted, by their givenIds. A service is shown with all of its places. */
export function servicesOf(places: readonly Standing[], wanted: Wanted): Group[] {
  const groups = [...Map.groupBy(places, ({ givenId }) => givenId)].map(([id, places]) => ({ id, places }))
  return groups
    .filter(({ places }) => places.some((place) => isWanted(place, wanted)))
    .sort((a, b) => compare(a.id, b.id))
}

/** A service in an environment where something runs, and the next environment in the order that it stands in. */
export function waysOnward(
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

/** Whatever the language of the machine, so that pages follow each other. */
export const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

function isWanted(place: Standing, { search, type, state, releasedBy }: Wanted): boolean {
  const { givenId, name } = place
  return (
    (search === undefined || [givenId, name].some((text) => has(text, search))) &&
    (type === undefined || type.includes(place.type)) &&
    (state === undefined || statesOf(place).some((one) => state.includes(one))) &&
    (releasedBy === undefined || place.releasedBy.some((who) => has(who, releasedBy)))
  )
}

const has = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase())
