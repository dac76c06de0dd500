import { Group, Stack, Text } from '@mantine/core'
import type { Deployment } from '@sluice/contract'
import { StatusBadge } from '../ui/status-badge.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { TimeAgo } from '../ui/time.tsx'
import { releaseName, shownStatus, targetName, triggeredBy } from './shown.ts'

/** One deployment in a list: what, where to, how it stands. */
export const DeploymentRow = ({ deployment }: { deployment: Deployment }) => {
  const { id, description, createdAt } = deployment
  const release = releaseName(deployment)
  return (
    <Group justify="space-between" wrap="nowrap" gap="md" py="xs">
      <Stack gap={2} miw={0}>
        <TextLink to="/console/deployments/$id" params={{ id }} fw={600} truncate>
          {targetName(deployment)}
          {release !== undefined && ` → ${release}`}
        </TextLink>
        <Text size="sm" c="dimmed" truncate>
          {description || 'No description'} · {triggeredBy(deployment)} · <TimeAgo at={createdAt} />
        </Text>
      </Stack>
      <StatusBadge status={shownStatus(deployment)} />
    </Group>
  )
}
