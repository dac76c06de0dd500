import { Group, Stack, Text } from '@mantine/core'
import type { Deployment } from '@sluice/contract'
import { StatusBadge } from '../ui/status-badge.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { TimeAgo } from '../ui/time.tsx'
import { ecsOf, imageOf, shownStatus } from './shown.ts'

/** One deployment in a list: what, where to, how it stands. */
export const DeploymentRow = ({ deployment }: { deployment: Deployment }) => {
  const { id, description, resourceName, createdAt } = deployment
  const data = ecsOf(deployment)
  const image = imageOf(data?.deployedTaskDefinition?.definition)
  return (
    <Group justify="space-between" wrap="nowrap" gap="md" py="xs">
      <Stack gap={2} miw={0}>
        <TextLink to="/console/deployments/$id" params={{ id }} fw={600} truncate>
          {resourceName ?? deployment.deploymentType}
          {image !== undefined && ` → ${image}`}
        </TextLink>
        <Text size="sm" c="dimmed" truncate>
          {description || 'No description'} · {data?.triggeredBy ?? deployment.triggerSource} ·{' '}
          <TimeAgo at={createdAt} />
        </Text>
      </Stack>
      <StatusBadge status={shownStatus(deployment)} />
    </Group>
  )
}
