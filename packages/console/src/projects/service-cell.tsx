import { Badge, Group, Stack } from '@mantine/core'
import type { ServiceHealth, ServiceInEnvironment, ServicePromotionCandidate } from '@sluice/contract'
import { ServiceStatus } from '../services/service-status.tsx'
import { HoldBadge } from '../ui/hold-badge.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { PromotionBadge } from './promotion-badge.tsx'

type Props = {
  place: ServiceInEnvironment
  health: ServiceHealth | undefined
  /** Promotion candidate and the name of the next environment. */
  promotionCandidates: { of: ServicePromotionCandidate; to: string } | undefined
}

/** Shows a service in an environment: its state, and what else concerns it there. */
export const ServiceCell = ({ place, health, promotionCandidates }: Props) => {
  const { hold, driftedResources, status, moduleInstanceId } = place
  return (
    <Stack gap={4} miw={0}>
      <ServiceStatus place={place} health={health} />
      <Group gap={4}>
        {hold && (
          <TextLink to="/console/instances/$id" params={{ id: moduleInstanceId }}>
            <HoldBadge {...hold} />
          </TextLink>
        )}
        {status === 'ERROR' && (
          <TextLink to="/console/instances/$id" params={{ id: moduleInstanceId }} search={{ tab: 'infrastructure' }}>
            <Badge color="red" variant="light" tt="none">
              Infrastructure failed
            </Badge>
          </TextLink>
        )}
        {driftedResources > 0 && (
          <TextLink to="/console/instances/$id" params={{ id: moduleInstanceId }} search={{ tab: 'infrastructure' }}>
            <Badge color="orange" variant="light" tt="none">
              {driftedResources} drifted
            </Badge>
          </TextLink>
        )}
        {promotionCandidates && (
          <PromotionBadge promotionCandidates={promotionCandidates.of} to={promotionCandidates.to} />
        )}
      </Group>
    </Stack>
  )
}
