import { Stack, Text } from '@mantine/core'
import type { ApprovalReportRow, PauseReportRow } from '@sluice/contract'
import { useOperation } from '../api/use-operation.ts'
import { QueryResult } from '../ui/query-result.tsx'
import { Section } from '../ui/section.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { CsvLink } from './csv-link.tsx'
import { type Column, FigureTable } from './figure-table.tsx'
import { deliveryScope, type Filters, reportDimensionOf, reportDimensions, runScope, scopeOfGroup } from './filters.ts'
import { formatDuration, formatNumber } from './format.ts'
import type { TimeRange } from './period.ts'

const pauseColumns: readonly Column<PauseReportRow>[] = [
  { head: 'Pauses', figure: 'PAUSES', text: (row) => formatNumber(row.pauses), count: (row) => row.pauses },
  {
    head: 'Median wait',
    figure: 'PAUSES',
    text: (row) => formatDuration(row.medianWaitSeconds),
    count: (row) => row.pauses,
  },
  {
    head: 'Longest',
    figure: 'PAUSES',
    text: (row) => formatDuration(row.longestWaitSeconds),
    count: (row) => row.pauses,
  },
  { head: 'Waiting', figure: 'PAUSES_WAITING', text: (row) => formatNumber(row.waiting), count: (row) => row.waiting },
]

const approvalColumns: readonly Column<ApprovalReportRow>[] = [
  {
    head: 'Requested',
    figure: 'APPROVALS_REQUESTED',
    text: (row) => formatNumber(row.requested),
    count: (row) => row.requested,
  },
  {
    head: 'Median wait',
    figure: 'APPROVALS_REQUESTED',
    text: (row) => formatDuration(row.medianWaitSeconds),
    count: (row) => row.requested,
  },
  {
    head: 'Longest',
    figure: 'APPROVALS_REQUESTED',
    text: (row) => formatDuration(row.longestWaitSeconds),
    count: (row) => row.requested,
  },
  {
    head: 'Rejected',
    figure: 'APPROVALS_REJECTED',
    text: (row) => formatNumber(row.rejected),
    count: (row) => row.rejected,
  },
  {
    head: 'Expired',
    figure: 'APPROVALS_EXPIRED',
    text: (row) => formatNumber(row.expired),
    count: (row) => row.expired,
  },
  {
    head: 'Waiting',
    figure: 'APPROVALS_WAITING',
    text: (row) => formatNumber(row.waiting),
    count: (row) => row.waiting,
  },
]

type Props = { filters: Filters; time: TimeRange }

/** Reports on pauses of deployments. */
export const Pauses = ({ filters, time }: Props) => {
  const division = reportDimensionOf(filters)
  const scope = deliveryScope(filters)
  const query = { ...time, ...scope, interval: 'TOTAL' as const, groupBy: division }
  const report = useOperation('getPauseReport', { query })
  return (
    <Section title="Deployment pauses" aside={<CsvLink of="pauses" operation="getPauseReport" query={query} />}>
      <QueryResult of={report}>
        {({ data: { startTime, endTime, rows } }) => (
          <FigureTable
            label="Deployment pauses"
            rows={rows.toSorted(longestFirst)}
            columns={pauseColumns}
            first={{
              head: reportDimensions[division],
              cell: ({ groupId, groupName }) => groupName ?? groupId,
              key: ({ groupId = '' }) => groupId,
            }}
            recordsOf={({ groupId }) => ({ ...scope, ...scopeOfGroup(division, groupId), startTime, endTime })}
          />
        )}
      </QueryResult>
    </Section>
  )
}

/** Reports on approvals of steps by pipeline. */
export const Approvals = ({ filters, time }: Props) => {
  const scope = runScope(filters)
  const query = { ...time, ...scope, interval: 'TOTAL' as const, groupBy: 'PIPELINE' as const }
  const report = useOperation('getApprovalReport', { query })
  return (
    <Section title="Step approvals" aside={<CsvLink of="approvals" operation="getApprovalReport" query={query} />}>
      <QueryResult of={report}>
        {({ data: { startTime, endTime, rows } }) => (
          <Stack gap="xs">
            <FigureTable
              label="Step approvals"
              rows={rows.toSorted(longestFirst)}
              columns={approvalColumns}
              first={{
                head: 'Pipeline',
                cell: ({ groupId = '', groupName = groupId }) => <PipelineLink id={groupId} name={groupName} />,
                key: ({ groupId = '' }) => groupId,
              }}
              recordsOf={({ groupId = '' }) => ({ ...scope, pipelineId: groupId, startTime, endTime })}
            />
            <ProjectFilterNote filters={filters} />
          </Stack>
        )}
      </QueryResult>
    </Section>
  )
}

const longestFirst = (one: { medianWaitSeconds?: number }, other: { medianWaitSeconds?: number }) =>
  (other.medianWaitSeconds ?? 0) - (one.medianWaitSeconds ?? 0)

export const PipelineLink = ({ id, name }: { id: string; name: string }) => (
  <TextLink to="/console/pipelines/$id" params={{ id }} inherit>
    {name}
  </TextLink>
)

/** Says that pipeline reports ignore narrower filters, because pipelines belong to a project. */
export const ProjectFilterNote = ({ filters: { environmentId, moduleInstanceId, teamId } }: { filters: Filters }) =>
  [environmentId, moduleInstanceId, teamId].some((one) => one !== undefined) && (
    <Text size="sm" c="dimmed">
      Pipelines belong to a project: only the project filter applies here.
    </Text>
  )
