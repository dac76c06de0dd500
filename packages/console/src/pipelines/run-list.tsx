import { Group, MultiSelect, Text } from '@mantine/core'
import type { PipelineRunStatus } from '@sluice/contract'
import { useState } from 'react'
import { usePages } from '../api/use-pages.ts'
import { Notice } from '../ui/notice.tsx'
import { Section } from '../ui/section.tsx'
import { StatusBadge, statusStyles } from '../ui/status-badge.tsx'
import { Pages } from '../ui/tables/pages.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { TimeAgo } from '../ui/time.tsx'
import { runTitle, summarizeInputs } from './run-title.ts'

/** Duplicates the contract's list, whose module would load all schemas. */
const statuses: readonly PipelineRunStatus[] = [
  'QUEUED',
  'IN_PROGRESS',
  'PENDING_APPROVAL',
  'SUCCESS',
  'ERROR',
  'CANCELLED',
]

type Props = {
  /** Shows only runs of this pipeline. */
  pipelineId?: string
  nameOf: (pipelineId: string) => string
}

/** Lists runs, newest first, filtered by status. */
export const RunList = ({ pipelineId, nameOf }: Props) => {
  const [status, setStatus] = useState<PipelineRunStatus[]>([])
  const query = {
    include: ['number' as const],
    ...(pipelineId !== undefined && { pipelineId }),
    ...(status.length > 0 && { status }),
  }
  const runs = usePages('listPipelineRuns', query)
  const numbers: Readonly<Record<string, number>> = Object.assign(
    {},
    ...(runs.data?.pages ?? []).map(({ included }) => included?.number),
  )
  const filter = (
    <MultiSelect
      aria-label="Filter by status"
      placeholder={status.length === 0 ? 'All statuses' : ''}
      size="xs"
      w={{ base: 180, xs: 260 }}
      clearable
      data={statuses.map((value) => ({ value, label: statusStyles[value].label }))}
      value={status}
      onChange={setStatus}
    />
  )
  return (
    <Section title="Runs" aside={filter}>
      <Pages
        of={runs}
        empty={
          status.length > 0 ? (
            <Notice title="No runs with this status" />
          ) : (
            <Notice title="No runs yet">Start a run from the page of a pipeline.</Notice>
          )
        }
      >
        {({ id, pipelineId, status, triggeredBy, createdAt, description, inputs }) => (
          <Group justify="space-between" wrap="nowrap" py="xs">
            <div>
              <TextLink to="/console/runs/$id" params={{ id }} fw={600}>
                {runTitle(nameOf(pipelineId), numbers[id])}
              </TextLink>
              <Text size="sm" c="dimmed">
                {[description || summarizeInputs(inputs), triggeredBy].filter(Boolean).join(' · ')} ·{' '}
                <TimeAgo at={createdAt} />
              </Text>
            </div>
            <StatusBadge status={status} />
          </Group>
        )}
      </Pages>
    </Section>
  )
}
