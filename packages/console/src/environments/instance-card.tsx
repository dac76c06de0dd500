import { Group, Text } from '@mantine/core'
import type { ModuleInstance, ServiceInEnvironment } from '@sluice/contract'
import { useOperation } from '../api/use-operation.ts'
import { LinkedCard } from '../ui/linked-card.tsx'
import { type DisplayStatus, StatusBadge } from '../ui/status-badge.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { TimeAgo } from '../ui/time.tsx'

/** Shows a module instance with its status and latest release. */
export const InstanceCard = ({
  instance,
  place,
}: {
  instance: ModuleInstance
  place: ServiceInEnvironment | undefined
}) => {
  const { id, name, type, status, description, moduleVersionId } = instance
  // Published versions never change.
  const version = useOperation(
    'getModuleVersion',
    { params: { id: moduleVersionId } },
    { staleTime: Number.POSITIVE_INFINITY },
  )
  return (
    <LinkedCard>
      <Group justify="space-between" wrap="nowrap">
        <TextLink to="/console/instances/$id" params={{ id }} fw={600} truncate data-card>
          {name}
        </TextLink>
        <StatusBadge status={status} size="sm" />
      </Group>
      <Text size="sm" c="dimmed">
        {type} {version.data?.data.version}
      </Text>
      {description && (
        <Text size="sm" mt="xs" lineClamp={2}>
          {description}
        </Text>
      )}
      <Group justify="space-between" wrap="nowrap" mt="auto" pt="sm">
        <Released place={place} />
      </Group>
    </LinkedCard>
  )
}

/** Shows what is running or being deployed and the status of the latest release; nothing while loading. */
const Released = ({ place }: { place: ServiceInEnvironment | undefined }) => {
  if (!place) return null
  const { inProgress, running, failed } = place
  const shown = inProgress ?? running
  const at = inProgress?.since ?? running?.since
  const status: DisplayStatus | undefined = inProgress
    ? inProgress.isPaused
      ? 'PAUSED'
      : inProgress.status
    : (failed?.status ?? (running && 'SUCCESS'))
  return (
    <>
      <Text size="sm" c="dimmed" truncate>
        {shown?.version ?? (shown ? 'deployed' : 'Not deployed yet')}
        {at !== undefined && (
          <>
            {' · '}
            <TimeAgo at={at} />
          </>
        )}
      </Text>
      {status && <StatusBadge status={status} size="sm" />}
    </>
  )
}
