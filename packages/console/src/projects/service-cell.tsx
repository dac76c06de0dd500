import { Badge, Group, Stack, Text } from '@mantine/core'
import type {
  ReleaseInProgress,
  ServiceHealth,
  ServiceInEnvironment,
  ServicePromotionCandidate,
} from '@sluice/contract'
import { stageName } from '@sluice/contract/stages'
import { IconAlertCircle, IconLoader2, IconPlayerPause } from '@tabler/icons-react'
import { HoldBadge } from '../ui/hold-badge.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { duration, TimeAgo, useNow } from '../ui/time.tsx'
import classes from './matrix.module.css'
import { PromotionBadge } from './promotion-badge.tsx'
import { TaskCount } from './task-count.tsx'

type Props = {
  place: ServiceInEnvironment
  health: ServiceHealth | undefined
  /** Promotion candidate and the name of the next environment. */
  promotionCandidates: { of: ServicePromotionCandidate; to: string } | undefined
}

/** Shows a service in an environment: the current release and its state. */
export const ServiceCell = ({ place, health, promotionCandidates }: Props) => {
  const { running, inProgress, failed, hold, driftedResources, status, moduleInstanceId } = place
  return (
    <Stack gap={4} miw={0}>
      {running ? (
        <>
          <TextLink
            to="/console/deployments/$id"
            params={{ id: running.deploymentId }}
            fw={650}
            truncate
            className={classes.version ?? ''}
          >
            {running.version ?? 'a release'}
          </TextLink>
          <Text size="xs" c="dimmed" truncate title={running.by}>
            <TimeAgo at={running.since} />
            {running.by !== undefined && ` · ${running.by}`}
          </Text>
        </>
      ) : (
        <TextLink to="/console/instances/$id" params={{ id: moduleInstanceId }} c="dimmed" size="sm">
          Not deployed yet
        </TextLink>
      )}
      {inProgress && <InProgress release={inProgress} />}
      {failed && (
        <TextLink to="/console/deployments/$id" params={{ id: failed.deploymentId }} title={failed.message ?? ''}>
          <Badge color="red" variant="light" tt="none" leftSection={<IconAlertCircle size={14} aria-hidden />}>
            {failed.version ?? 'A release'} {failed.status === 'ROLLED_BACK' ? 'rolled back' : 'failed'}
          </Badge>
        </TextLink>
      )}
      <Group gap={4}>
        {hold && (
          <TextLink to="/console/instances/$id" params={{ id: moduleInstanceId }}>
            <HoldBadge {...hold} />
          </TextLink>
        )}
        {running?.isRollback && (
          <Badge color="gray" variant="light" tt="none">
            Rolled back to
          </Badge>
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
        {running && <TaskCount running={running} health={health} />}
        {promotionCandidates && (
          <PromotionBadge promotionCandidates={promotionCandidates.of} to={promotionCandidates.to} />
        )}
      </Group>
    </Stack>
  )
}

const InProgress = ({ release }: { release: ReleaseInProgress }) => {
  const { deploymentId, version, status, stepCode, newTrafficPercent, isPaused, pausedUntil, waiting } = release
  const Icon = isPaused ? IconPlayerPause : IconLoader2
  const stage = isPaused ? 'paused' : status === 'PENDING' ? 'queued' : stepCode && stageName(stepCode).toLowerCase()
  const share = newTrafficPercent === undefined ? undefined : `${Math.round(newTrafficPercent)} %`
  return (
    <div>
      <TextLink to="/console/deployments/$id" params={{ id: deploymentId }}>
        <Badge
          color={isPaused ? 'orange' : 'water'}
          variant="light"
          tt="none"
          leftSection={<Icon size={14} aria-hidden />}
        >
          {[version, stage, share].filter(Boolean).join(' · ')}
        </Badge>
      </TextLink>
      {(pausedUntil !== undefined || waiting > 0) && (
        <Text size="xs" c="dimmed">
          {pausedUntil !== undefined && <Left until={pausedUntil} />}
          {pausedUntil !== undefined && waiting > 0 && ' · '}
          {waiting > 0 && `${waiting} more queued`}
        </Text>
      )}
    </div>
  )
}

/** Updates once a minute, because a page can show hundreds. */
const Left = ({ until }: { until: string }) => {
  const now = useNow(60_000)
  return `${duration(Date.parse(until) - now)} left`
}
