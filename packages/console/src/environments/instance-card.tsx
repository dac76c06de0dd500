import { Group, Text } from '@mantine/core'
import type { ServiceHealth, ServiceInEnvironment } from '@sluice/contract'
import { useInstance } from '../api/use-instance.ts'
import { useOperation } from '../api/use-operation.ts'
import { ServiceStatus } from '../services/service-status.tsx'
import { LinkedCard } from '../ui/linked-card.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { TextLink } from '../ui/text-link.tsx'
import classes from './instance-card.module.css'

type Props = { place: ServiceInEnvironment; health: ServiceHealth | undefined }

/** Shows a module instance with its status, what runs, what is in progress and what failed last. */
export const InstanceCard = ({ place, health }: Props) => {
  const { moduleInstanceId: id, name, type, status } = place
  const { description, moduleVersionId = '' } = useInstance(id) ?? {}
  // Published versions never change.
  const version = useOperation(
    'getModuleVersion',
    { params: { id: moduleVersionId } },
    { staleTime: Number.POSITIVE_INFINITY, enabled: moduleVersionId !== '' },
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
      <div className={classes.status}>
        <ServiceStatus place={place} health={health} />
      </div>
    </LinkedCard>
  )
}
