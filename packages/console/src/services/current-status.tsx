import { ServiceStatus } from './service-status.tsx'
import { useServiceStates } from './use-service-states.ts'

type Props = { moduleInstanceId: string; isInline?: boolean }

/** Shows the current state of one module instance; nothing while it is loading. */
export const CurrentStatus = ({ moduleInstanceId: id, isInline = false }: Props) => {
  const { places, healths } = useServiceStates([id])
  const place = places[id]
  return place && <ServiceStatus place={place} health={healths[id]} isInline={isInline} />
}
