import { Badge, Box, Group, Stack, Text } from '@mantine/core'
import type { Deployment, DeploymentSource } from '@sluice/contract'
import type { ReactNode } from 'react'
import { StatusBadge } from '../ui/status-badge.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { InReadersTime, TimeAgo } from '../ui/time.tsx'
import { deploymentResult } from './deployment-result.ts'
import { queueMessage } from './queue-message.ts'
import { displayStatus, triggeredBy } from './release-display.ts'
import { describeSource } from './source-text.ts'
import { deploymentTitle, useTargetNames } from './target-names.ts'

type Props = {
  deployment: Deployment
  /** Source of the release, if the list includes it. */
  source?: DeploymentSource | undefined
  /** Whether this is the current release. */
  isLive?: boolean
  /** Current state of the service, where the list shows several services. */
  now?: ReactNode
  /** Actions for this deployment. */
  children?: ReactNode
}

/** Shows a deployment in a list: service, environment, version, status and result. */
export const DeploymentRow = ({ deployment, source, isLive = false, now, children }: Props) => {
  const { id, description, createdAt } = deployment
  const names = useTargetNames(deployment)
  const outcome = deploymentResult(deployment)
  const madeOf = describeSource(source)
  const waits = queueMessage(deployment)
  const row = (
    <Group justify="space-between" wrap="nowrap" gap="md" py="xs">
      <Stack gap={2} miw={0}>
        <TextLink to="/console/deployments/$id" params={{ id }} fw={600} truncate>
          {deploymentTitle(deployment, names)}
        </TextLink>
        {outcome && (
          <Text size="sm">
            {outcome.deploymentId ? (
              <TextLink to="/console/deployments/$id" params={{ id: outcome.deploymentId }} underline="always">
                {outcome.words}
              </TextLink>
            ) : (
              outcome.words
            )}
          </Text>
        )}
        {waits && (
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            <InReadersTime sentence={waits} />
          </Text>
        )}
        {madeOf && (
          <Text size="sm" truncate>
            {madeOf}
          </Text>
        )}
        <Text size="sm" c="dimmed" truncate>
          {description || 'No description'} · {triggeredBy(deployment)} · <TimeAgo at={createdAt} />
        </Text>
      </Stack>
      <Group gap="xs" wrap="wrap" justify="flex-end" style={{ flexShrink: 0 }}>
        {children}
        {isLive && (
          <Badge color="water" tt="none">
            Live
          </Badge>
        )}
        <StatusBadge status={displayStatus(deployment)} />
      </Group>
    </Group>
  )
  return now === undefined ? (
    row
  ) : (
    <Box pb="xs">
      {row}
      {now}
    </Box>
  )
}
