import type { ServiceHealth } from '@sluice/contract'
import { Mark, ShortStatus } from '../services/short-status.tsx'
import { IconArrowRight, IconHourglass } from '../ui/icons.tsx'
import { useNow } from '../ui/time.tsx'
import type { PlacedService } from './placed-services.ts'
import { describePromotion } from './promotion-text.ts'
import classes from './service-cell.module.css'
import { ServiceMenu } from './service-menu.tsx'

type Props = { of: PlacedService; serviceName: string; health: ServiceHealth | undefined }

/** Shows a service in an environment in one line, with a menu of actions. */
export const ServiceCell = ({ of: { environment, place, next, candidate }, serviceName, health }: Props) => (
  <div className={classes.cell}>
    <ShortStatus place={place} health={health}>
      {candidate && next && <PromotionMark candidate={candidate} to={next.environment.name} />}
    </ShortStatus>
    <div className={classes.menu}>
      <ServiceMenu
        label={`${serviceName} in ${environment.name}`}
        environment={environment}
        place={place}
        next={next}
      />
    </div>
  </div>
)

type PromotionProps = { candidate: NonNullable<PlacedService['candidate']>; to: string }

/** Marks a release that can be promoted or soaks. The service's page names what blocks the others. */
const PromotionMark = ({ candidate, to }: PromotionProps) => {
  const now = useNow(60_000)
  const { blocker, deploymentId, moduleInstanceId, message } = candidate
  const words = describePromotion(candidate, to, now)
  if (words === undefined || !(blocker === undefined || blocker === 'MANUAL' || blocker === 'SOAKING')) return null
  return (
    <Mark
      to={{ moduleInstanceId, from: deploymentId }}
      color="gray"
      Icon={blocker === 'SOAKING' ? IconHourglass : IconArrowRight}
      label={[words, message].filter(Boolean).join('. ')}
    />
  )
}
