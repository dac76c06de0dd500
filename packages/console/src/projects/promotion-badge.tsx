import { Badge } from '@mantine/core'
import type { ServiceOnward } from '@sluice/contract'
import { IconArrowRight } from '@tabler/icons-react'
import { TextLink } from '../ui/text-link.tsx'
import { useNow } from '../ui/time.tsx'
import { describePromotion } from './promotion-text.ts'

/** Shows whether the current release can be promoted, with a link. */
export const PromotionBadge = ({ onward, to }: { onward: ServiceOnward; to: string }) => {
  const now = useNow(60_000)
  const said = describePromotion(onward, to, now)
  if (said === undefined) return null
  const { obstacle, deploymentId, moduleInstanceId, message = '' } = onward
  return (
    <TextLink
      to="/console/instances/$id"
      params={{ id: moduleInstanceId }}
      search={{ from: deploymentId }}
      title={message}
    >
      <Badge
        color={obstacle === undefined || obstacle === 'MANUAL' ? 'water' : 'gray'}
        variant="light"
        tt="none"
        leftSection={<IconArrowRight size={14} aria-hidden />}
      >
        {said}
      </Badge>
    </TextLink>
  )
}
