import { Badge } from '@mantine/core'
import type { ServicePromotionCandidate } from '@sluice/contract'
import { IconArrowRight } from '../ui/icons.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { useNow } from '../ui/time.tsx'
import { describePromotion } from './promotion-text.ts'

/** Shows whether the current release can be promoted, with a link. */
export const PromotionBadge = ({
  promotionCandidates,
  to,
}: {
  promotionCandidates: ServicePromotionCandidate
  to: string
}) => {
  const now = useNow(60_000)
  const said = describePromotion(promotionCandidates, to, now)
  if (said === undefined) return null
  const { blocker, deploymentId, moduleInstanceId, message = '' } = promotionCandidates
  return (
    <TextLink
      to="/console/instances/$id"
      params={{ id: moduleInstanceId }}
      search={{ from: deploymentId }}
      title={message}
    >
      <Badge
        color={blocker === undefined || blocker === 'MANUAL' ? 'water' : 'gray'}
        variant="light"
        tt="none"
        h="auto"
        styles={{ label: { whiteSpace: 'normal', paddingBlock: 3 } }}
        leftSection={<IconArrowRight size={14} aria-hidden />}
      >
        {said}
      </Badge>
    </TextLink>
  )
}
