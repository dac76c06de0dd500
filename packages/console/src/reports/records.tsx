import { Stack, Table, Text } from '@mantine/core'
import type { DeliveryFigure, DeliveryRecordRow, RunFigure, RunRecordRow } from '@sluice/contract'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useOperation } from '../api/use-operation.ts'
import { runTitle } from '../pipelines/run-title.ts'
import { Notice } from '../ui/notice.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { QueryResult } from '../ui/query-result.tsx'
import { Section } from '../ui/section.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { DataTable } from '../ui/tables/data-table.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { TimeOfDay } from '../ui/time.tsx'
import { CsvLink } from './csv-link.tsx'
import { deliveryFigures, isDeliveryFigure, isRunFigure, runFigures } from './figures.ts'
import { deliveryScope, type RecordFilters, runScope, timeOfRecords } from './filters.ts'
import { formatDay, formatDuration, formatNumber } from './format.ts'

const route = getRouteApi('/shell/console/reports/records')

/** The CSV has more. */
const maxShown = 500
const maxInFile = 5_000

/** Lists the records behind a number of a report. */
export const ReportRecords = () => {
  const asked = route.useSearch()
  const { figure } = asked
  if (isRunFigure(figure)) return <OfRuns figure={figure} asked={asked} />
  return <OfDeliveries figure={isDeliveryFigure(figure) ? figure : 'DEPLOYMENTS'} asked={asked} />
}

const OfDeliveries = ({ figure, asked }: { figure: DeliveryFigure; asked: RecordFilters }) => {
  const { title, measured } = deliveryFigures[figure]
  const query = { ...timeOfRecords(asked), ...deliveryScope(asked), figure }
  const answer = useOperation('getDeliveryRecords', { query: { ...query, limit: maxShown } })
  return (
    <Page
      title={title}
      aside={<CsvLink of={title} operation="getDeliveryRecords" query={{ ...query, limit: maxInFile }} />}
    >
      <QueryResult of={answer}>
        {({ data }) => (
          <Found title={title} measured={measured} of={data}>
            {data.rows.map((row, index) => (
              <Row key={`${row.deploymentId} ${index}`} of={row}>
                <TextLink to="/console/deployments/$id" params={{ id: row.deploymentId }} fw={600}>
                  {row.moduleInstanceName} · {row.environmentName}
                </TextLink>
                <Text size="sm" c="dimmed">
                  {row.description}
                </Text>
              </Row>
            ))}
          </Found>
        )}
      </QueryResult>
    </Page>
  )
}

const OfRuns = ({ figure, asked }: { figure: RunFigure; asked: RecordFilters }) => {
  const { title, measured } = runFigures[figure]
  const query = { ...timeOfRecords(asked), ...runScope(asked), figure }
  const answer = useOperation('getRunRecords', { query: { ...query, limit: maxShown } })
  return (
    <Page title={title} aside={<CsvLink of={title} operation="getRunRecords" query={{ ...query, limit: maxInFile }} />}>
      <QueryResult of={answer}>
        {({ data }) => (
          <Found title={title} measured={measured} of={data}>
            {data.rows.map((row) => (
              <Row key={row.stepExecutionId ?? row.pipelineRunId} of={row}>
                <TextLink
                  to="/console/runs/$id"
                  params={{ id: row.pipelineRunId }}
                  search={row.stepExecutionId === undefined ? {} : { step: row.stepExecutionId }}
                  fw={600}
                >
                  {runTitle(row.pipelineName, row.runNumber)}
                </TextLink>
                <Text size="sm" c="dimmed">
                  {row.stepName}
                </Text>
              </Row>
            ))}
          </Found>
        )}
      </QueryResult>
    </Page>
  )
}

const Page = ({ title, aside, children }: { title: string; aside: ReactNode; children: ReactNode }) => (
  <Stack gap="lg" maw={1100}>
    <PageTitle title={title} above={<TextLink to="/console/reports">Reports</TextLink>} aside={aside} />
    {children}
  </Stack>
)

type FoundProps = {
  title: string
  measured: string
  of: { startTime: string; endTime: string; total: number; rows: readonly unknown[] }
  children: ReactNode
}

const Found = ({ title, measured, of: { startTime, endTime, total, rows }, children }: FoundProps) => (
  <Section
    title={`${formatDay(startTime)} to ${formatDay(endTime)}`}
    aside={
      <Text size="sm" c="dimmed">
        {rows.length < total
          ? `The latest ${formatNumber(rows.length)} of ${formatNumber(total)}`
          : formatNumber(total)}
      </Text>
    }
  >
    {rows.length === 0 ? (
      <Notice title="No data for this period" />
    ) : (
      <DataTable label={title} head={['Record', 'Status', 'Time', measured]}>
        {children}
      </DataTable>
    )}
  </Section>
)

const Row = ({
  of: { status, at, seconds },
  children,
}: {
  of: DeliveryRecordRow | RunRecordRow
  children: ReactNode
}) => (
  <Table.Tr>
    <Table.Td>{children}</Table.Td>
    <Table.Td>
      <StatusBadge status={status} />
    </Table.Td>
    <Table.Td>
      <TimeOfDay at={at} />
    </Table.Td>
    <Table.Td>{formatDuration(seconds)}</Table.Td>
  </Table.Tr>
)
