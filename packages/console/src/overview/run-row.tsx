import { Group, Stack, Text } from '@mantine/core'
import type { PipelineRun } from '@sluice/contract'
import { useOperation } from '../api/use-operation.ts'
import { runTitle, summarizeInputs } from '../pipelines/run-title.ts'
import { StatusBadge } from '../ui/status-badge.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { TimeAgo } from '../ui/time.tsx'

/** Shows a pipeline run in a list. */
export const RunRow = ({ run, number }: { run: PipelineRun; number: number | undefined }) => {
  const { id, pipelineId, inputs, description, triggeredBy, createdAt, status } = run
  const about = description || summarizeInputs(inputs)
  const pipeline = useOperation('getPipeline', { params: { id: pipelineId } })
  return (
    <Group justify="space-between" wrap="nowrap" gap="md" py="xs">
      <Stack gap={2} miw={0}>
        <TextLink to="/console/runs/$id" params={{ id }} fw={600} truncate>
          {runTitle(pipeline.data?.data.name, number)}
        </TextLink>
        <Text size="sm" c="dimmed" truncate>
          {about && `${about} · `}
          {triggeredBy} · <TimeAgo at={createdAt} />
        </Text>
      </Stack>
      <StatusBadge status={status} />
    </Group>
  )
}
