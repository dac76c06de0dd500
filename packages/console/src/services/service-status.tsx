import { Badge, Group, Stack, Text } from '@mantine/core'
import type { ServiceHealth, ServiceInEnvironment } from '@sluice/contract'
import { usePermission } from '../api/use-permission.ts'
import { IconAlertCircle, IconLoader2, IconPlayerPause } from '../ui/icons.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { duration, TimeAgo, useNow } from '../ui/time.tsx'
import { describeService, type Failure, type Progress, type Running, type Tasks } from './describe-service.ts'

type Props = {
  place: ServiceInEnvironment
  health: ServiceHealth | undefined
  /** Side by side, for rows of lists that are about something else. */
  isInline?: boolean
}

/** Shows a service in an environment: what runs, what is in progress, and what failed last. */
export const ServiceStatus = ({ place, health, isInline = false }: Props) => {
  const { isAllowed: canDecide } = usePermission('approvals:write')
  const { running, tasks, progress, failure } = describeService({ place, health, canDecide })
  const rows = (
    <>
      <RunningRow running={running} tasks={tasks} moduleInstanceId={place.moduleInstanceId} />
      {progress && <ProgressRow progress={progress} />}
      {failure && <FailureRow failure={failure} />}
    </>
  )
  return isInline ? (
    <Group gap="md" align="flex-start">
      <Text size="xs" c="dimmed" lh="24px">
        Now
      </Text>
      {rows}
    </Group>
  ) : (
    <Stack gap={4} miw={0}>
      {rows}
    </Stack>
  )
}

type RunningProps = { running: Running; tasks: Tasks | undefined; moduleInstanceId: string }

const RunningRow = ({ running, tasks, moduleInstanceId }: RunningProps) => {
  const { words, deploymentId, note, since, by } = running
  const isKnown = deploymentId !== undefined || note !== undefined
  const style = isKnown
    ? ({ fw: 650, c: 'var(--mantine-color-text)' } as const)
    : ({ c: 'dimmed', size: 'sm' } as const)
  return (
    <div style={{ minWidth: 0, maxWidth: '100%' }}>
      <Group gap={6} wrap="wrap">
        {deploymentId === undefined ? (
          <TextLink to="/console/instances/$id" params={{ id: moduleInstanceId }} {...style} truncate maw="100%">
            {words}
          </TextLink>
        ) : (
          <TextLink to="/console/deployments/$id" params={{ id: deploymentId }} {...style} truncate maw="100%">
            {words}
          </TextLink>
        )}
        {tasks && <TaskCount tasks={tasks} />}
      </Group>
      {note !== undefined && (
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      )}
      {since !== undefined && (
        <Text size="xs" c="dimmed" truncate title={by}>
          <TimeAgo at={since} />
          {by !== undefined && ` · ${by}`}
        </Text>
      )}
    </div>
  )
}

const TaskCount = ({ tasks: { words, state } }: { tasks: Tasks }) =>
  state === 'complete' ? (
    <Text size="xs" c="dimmed">
      {words}
    </Text>
  ) : (
    <Badge color={state === 'none' ? 'red' : 'orange'} variant="light" tt="none">
      {words}
    </Badge>
  )

const ProgressRow = ({ progress }: { progress: Progress }) => {
  const { words, deploymentId, isPaused, actor, message, pausedUntil, queued } = progress
  const Icon = isPaused ? IconPlayerPause : IconLoader2
  const details = [
    actor,
    pausedUntil && <TimeLeft key="left" until={pausedUntil} />,
    message && (
      <span key="message" title={message}>
        {message}
      </span>
    ),
    queued,
  ].filter(Boolean)
  return (
    <div>
      <TextLink to="/console/deployments/$id" params={{ id: deploymentId }}>
        <Badge
          color={isPaused ? 'orange' : 'water'}
          variant="light"
          tt="none"
          leftSection={<Icon size={14} aria-hidden />}
        >
          {words}
        </Badge>
      </TextLink>
      {details.length > 0 && (
        <Text size="xs" c="dimmed" lineClamp={2}>
          {details.flatMap((detail, index) => (index === 0 ? [detail] : [' · ', detail]))}
        </Text>
      )}
    </div>
  )
}

const FailureRow = ({ failure: { words, deploymentId, at, message } }: { failure: Failure }) => (
  <Group gap={6}>
    <TextLink to="/console/deployments/$id" params={{ id: deploymentId }} title={message ?? ''}>
      <Badge color="red" variant="light" tt="none" leftSection={<IconAlertCircle size={14} aria-hidden />}>
        {words}
      </Badge>
    </TextLink>
    <Text span size="xs" c="dimmed">
      <TimeAgo at={at} />
    </Text>
  </Group>
)

/** Updates once a minute, because a page can show hundreds. */
const TimeLeft = ({ until }: { until: string }) => {
  const now = useNow(60_000)
  return `${duration(Date.parse(until) - now)} left`
}
