import { Group, Stack, Text } from '@mantine/core'
import type { ModuleInstance } from '@sluice/contract'
import { useOperation } from '../api/use-operation.ts'
import { HoldBadge } from '../ui/hold-badge.tsx'
import { TimeAgo } from '../ui/time.tsx'

/** What keeps anything newer from being released to an instance: what holds it, or all of its environment. */
export const Holds = ({ instance: { id, environmentId } }: { instance: ModuleInstance }) => {
  const held = useOperation('listHolds', { query: { environmentId, limit: 100 } })
  const holds = (held.data?.data ?? []).filter(({ moduleInstanceId = id }) => moduleInstanceId === id)
  if (holds.length === 0) return null
  return (
    <Stack gap={4} role="status" aria-label="What holds it">
      {holds.map(({ id, heldBy, reason, createdAt }) => (
        <Group key={id} gap="xs">
          <HoldBadge by={heldBy} reason={reason} />
          <Text size="sm">{reason}</Text>
          <Text size="sm" c="dimmed">
            <TimeAgo at={createdAt} />
          </Text>
        </Group>
      ))}
    </Stack>
  )
}
