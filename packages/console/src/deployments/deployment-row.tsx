import { Badge, Group, Stack, Text } from '@mantine/core'
import type { Deployment, DeploymentSource } from '@sluice/contract'
import type { ReactNode } from 'react'
import { StatusBadge } from '../ui/status-badge.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { InReadersTime, TimeAgo } from '../ui/time.tsx'
import { outcomeOf } from './outcome.ts'
import { fullName, usePlaceName } from './place-name.ts'
import { shownStatus, triggeredBy } from './shown.ts'
import { sourceLine } from './source-words.ts'
import { waitWords } from './wait-words.ts'

type Props = {
  deployment: Deployment
  /** Source of the release, if the list includes it. */
  source?: DeploymentSource | undefined
  /** Whether this is the current release. */
  isLive?: boolean
  /** Actions for this deployment. */
  children?: ReactNode
}

/** Shows a deployment in a list: service, environment, version, status and result. */
export const DeploymentRow = ({ deployment, source, isLive = false, children }: Props) => {
  const { id, description, createdAt } = deployment
  const place = usePlaceName(deployment)
  const outcome = outcomeOf(deployment)
  const madeOf = sourceLine(source)
  const waits = waitWords(deployment)
  return (
    <Group justify="space-between" wrap="nowrap" gap="md" py="xs">
      <Stack gap={2} miw={0}>
        <TextLink to="/console/deployments/$id" params={{ id }} fw={600} truncate>
          {fullName(deployment, place)}
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
        <StatusBadge status={shownStatus(deployment)} />
      </Group>
    </Group>
  )
}
