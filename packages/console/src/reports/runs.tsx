import { SegmentedControl, Stack, Text } from '@mantine/core'
import type { RunReportRow, StepReportOrder, StepReportRow } from '@sluice/contract'
import { useState } from 'react'
import { useOperation } from '../api/use-operation.ts'
import { QueryResult } from '../ui/query-result.tsx'
import { Section } from '../ui/section.tsx'
import { CsvLink } from './csv-link.tsx'
import { type Column, FigureTable } from './figure-table.tsx'
import { type Filters, runScope } from './filters.ts'
import { formatDuration, formatNumber, formatPercent } from './format.ts'
import type { TimeRange } from './period.ts'
import { PipelineLink, ProjectFilterNote } from './waiting.tsx'

const runColumns: readonly Column<RunReportRow>[] = [
  { head: 'Runs', figure: 'RUNS', text: (row) => formatNumber(row.runs), count: (row) => row.runs },
  { head: 'Failed', figure: 'FAILED', text: (row) => formatNumber(row.failed), count: (row) => row.failed },
  { head: 'Failure rate', figure: 'FAILED', text: (row) => formatPercent(row.failureRate), count: (row) => row.failed },
  {
    head: 'Cancelled',
    figure: 'CANCELLED',
    text: (row) => formatNumber(row.cancelled),
    count: (row) => row.cancelled,
  },
  {
    head: 'Median duration',
    figure: 'RUNS',
    text: (row) => formatDuration(row.medianDurationSeconds),
    count: (row) => row.runs,
  },
]

const stepColumns: readonly Column<StepReportRow>[] = [
  {
    head: 'Executions',
    figure: 'STEPS',
    text: (row) => formatNumber(row.executions),
    count: (row) => row.executions,
  },
  { head: 'Failed', figure: 'STEPS_FAILED', text: (row) => formatNumber(row.failed), count: (row) => row.failed },
  {
    head: 'Failure rate',
    figure: 'STEPS_FAILED',
    text: (row) => formatPercent(row.failureRate),
    count: (row) => row.failed,
  },
  {
    head: 'Median duration',
    figure: 'STEPS',
    text: (row) => formatDuration(row.medianDurationSeconds),
    count: (row) => row.executions,
  },
  {
    head: '90th percentile',
    figure: 'STEPS',
    text: (row) => formatDuration(row.p90DurationSeconds),
    count: (row) => row.executions,
  },
]

type Props = { filters: Filters; time: TimeRange }

/** Reports on runs by pipeline. */
export const Runs = ({ filters, time }: Props) => {
  const scope = runScope(filters)
  const query = { ...time, ...scope, interval: 'TOTAL' as const, groupBy: 'PIPELINE' as const }
  const report = useOperation('getRunReport', { query })
  return (
    <Section title="Pipeline runs" aside={<CsvLink of="runs" operation="getRunReport" query={query} />}>
      <QueryResult of={report}>
        {({ data: { startTime, endTime, rows } }) => (
          <Stack gap="xs">
            <FigureTable
              label="Pipeline runs"
              rows={rows.toSorted((one, other) => other.runs - one.runs)}
              columns={runColumns}
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

const orders = {
  MOST_FAILED: 'Most failures',
  SLOWEST: 'Slowest',
} as const satisfies Record<StepReportOrder, string>

/** Reports on steps by failures or duration. */
export const Steps = ({ filters, time }: Props) => {
  const [order, setOrder] = useState<StepReportOrder>('MOST_FAILED')
  const scope = runScope(filters)
  const query = { ...time, ...scope, order }
  const report = useOperation('getStepReport', { query })
  return (
    <Section title="Steps" aside={<CsvLink of="steps" operation="getStepReport" query={query} />}>
      <SegmentedControl<StepReportOrder>
        aria-label="Sort by"
        size="xs"
        mb="sm"
        data={Object.entries(orders).map(([value, label]) => ({ value: value as StepReportOrder, label }))}
        value={order}
        onChange={setOrder}
      />
      <QueryResult of={report}>
        {({ data: { startTime, endTime, rows } }) => (
          <FigureTable
            label="Steps"
            rows={rows}
            columns={stepColumns}
            first={{
              head: 'Step',
              cell: ({ stepName, pipelineId, pipelineName }) => (
                <>
                  {stepName}
                  <Text size="xs" c="dimmed">
                    <PipelineLink id={pipelineId} name={pipelineName} />
                  </Text>
                </>
              ),
              key: ({ pipelineId, stepId }) => `${pipelineId} ${stepId}`,
            }}
            recordsOf={({ pipelineId, stepId }) => ({ ...scope, pipelineId, stepId, startTime, endTime })}
          />
        )}
      </QueryResult>
    </Section>
  )
}
