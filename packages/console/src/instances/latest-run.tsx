import { Alert, Group, Text } from '@mantine/core'
import { useOperation } from '../api/use-operation.ts'
import { IconPlayerPause } from '../ui/icons.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { TimeAgo } from '../ui/time.tsx'

/** Shows the current or latest infrastructure run. Highlights one that waits for approval. */
export const LatestRun = ({ instanceId }: { instanceId: string }) => {
  const query = { include: ['infrastructure' as const] }
  const instance = useOperation('getModuleInstance', { params: { id: instanceId }, query })
  const runId = instance.data?.included?.infrastructure?.latestRunId
  return runId === undefined ? null : <Run id={runId} />
}

const Run = ({ id }: { id: string }) => {
  const { data: found } = useOperation('getPipelineRun', { params: { id }, query: { include: ['number'] } })
  if (!found) return null
  const { data: run, included } = found
  if (run.status === 'PENDING_APPROVAL') {
    return (
      <Alert color="orange" variant="light" icon={<IconPlayerPause aria-hidden />} title="Change waiting for approval">
        <TextLink to="/console/runs/$id" params={{ id }} c="inherit" underline="always">
          Review plan
        </TextLink>
      </Alert>
    )
  }
  return (
    <Group gap="sm">
      <Text size="sm">
        <TextLink to="/console/runs/$id" params={{ id }} underline="always">
          {[included?.number !== undefined && `#${included.number}`, run.description || 'The latest run']
            .filter(Boolean)
            .join(' · ')}
        </TextLink>{' '}
        · {run.triggeredBy} · <TimeAgo at={run.createdAt} />
      </Text>
      <StatusBadge status={run.status} />
    </Group>
  )
}
