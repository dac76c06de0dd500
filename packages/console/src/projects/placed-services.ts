import type { Environment, Service, ServiceInEnvironment, ServicePromotionCandidate } from '@sluice/contract'

/** An environment with the service's instance there. */
export type ServicePlace = { environment: Environment; place: ServiceInEnvironment }

export type PlacedService = ServicePlace & {
  /** Next environment with an instance, to which releases are promoted. */
  next: ServicePlace | undefined
  /** Promotion of what runs here to the next environment. */
  candidate: ServicePromotionCandidate | undefined
}

/** Returns the environments that have an instance of the service, in the order of the environments. */
export function placedServices(
  { places }: Service,
  environments: readonly Environment[],
  candidates: readonly ServicePromotionCandidate[] = [],
): PlacedService[] {
  const placed = environments.flatMap((environment): ServicePlace[] => {
    const place = places.find(({ environmentId }) => environmentId === environment.id)
    return place ? [{ environment, place }] : []
  })
  return placed.map((one, index) => ({
    ...one,
    next: placed[index + 1],
    candidate: candidates.find(({ fromEnvironmentId }) => fromEnvironmentId === one.environment.id),
  }))
}
