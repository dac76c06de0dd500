import { Group, Text } from '@mantine/core'
import type { Deployment, ModuleInstance } from '@sluice/contract'
import { useOperation } from '../api/use-operation.ts'
import { releaseName, shownStatus } from '../deployments/shown.ts'
import { LinkedCard } from '../ui/linked-card.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { TimeAgo } from '../ui/time.tsx'

/** A module instance at a glance: what it is, how it is, and what was released to it last. */
export const InstanceCard = ({ instance, latest }: { instance: ModuleInstance; latest: Deployment | undefined }) => {
  const { id, name, type, status, description, moduleVersionId } = instance
  // A version never changes once it is published.
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
        {latest ? (
          <>
            <Text size="sm" c="dimmed" truncate>
              {releaseName(latest) ?? 'released'} · <TimeAgo at={latest.createdAt} />
            </Text>
            <StatusBadge status={shownStatus(latest)} size="sm" />
          </>
        ) : (
          <Text size="sm" c="dimmed">
            Nothing released lately
          </Text>
        )}
      </Group>
    </LinkedCard>
  )
}
