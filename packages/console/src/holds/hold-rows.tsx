import { Group, Stack, Text } from '@mantine/core'
import type { Hold } from '@sluice/contract'
import { HoldBadge } from '../ui/hold-badge.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { TimeAgo } from '../ui/time.tsx'
import { LiftHoldButton } from './hold-form.tsx'

/** Lists holds with their author, reason and time, and a button to lift them. */
export const HoldRows = ({ holds }: { holds: readonly Hold[] }) =>
  holds.length === 0 ? null : (
    <Stack gap={4} mb="xs" role="status" aria-label="Holds">
      {holds.map(({ id, heldBy, reason, createdAt, moduleInstanceId, deploymentId }) => (
        <Group key={id} gap="xs">
          <HoldBadge by={heldBy} reason={reason} />
          <Text size="sm">
            {moduleInstanceId === undefined && 'Entire environment: '}
            {reason}
          </Text>
          <Text size="sm" c="dimmed">
            <TimeAgo at={createdAt} />
          </Text>
          {deploymentId !== undefined && (
            <TextLink to="/console/deployments/$id" params={{ id: deploymentId }} size="sm">
              View deployment
            </TextLink>
          )}
          <LiftHoldButton id={id} reason={reason} />
        </Group>
      ))}
    </Stack>
  )
