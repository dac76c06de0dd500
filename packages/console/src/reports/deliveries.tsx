import { Card, SimpleGrid, Stack, Text } from '@mantine/core'
import type { DeliveryReportRow } from '@sluice/contract'
import { lazy, Suspense } from 'react'
import { useOperation } from '../api/use-operation.ts'
import { QueryResult } from '../ui/query-result.tsx'
import { Section } from '../ui/section.tsx'
import { CsvLink } from './csv-link.tsx'
import { FigureLink } from './figure-link.tsx'
import { type Column, FigureTable } from './figure-table.tsx'
import type { Figure } from './figures.ts'
import { deliveryScope, type Filters, type RecordFilters } from './filters.ts'
import { formatDay, formatDuration, formatNumber, formatPercent, noValue } from './format.ts'
import { intervalOf, type TimeRange } from './period.ts'

/** The chart library is large, so it is loaded on demand. */
const LineChart = lazy(() => import('../instances/line-chart.tsx'))
const chartHeight = 160

type Key = {
  name: string
  figure: Figure
  count: (row: DeliveryReportRow) => number
  /** Value of the chart; undefined without data. */
  value: (row: DeliveryReportRow) => number | undefined
  inWords: (value: number) => string
  /** Explains the number. */
  about: (row: DeliveryReportRow, days: number) => string
  /** Records that this number is a share of. */
  outOf?: { figure: Figure; count: (row: DeliveryReportRow) => number }
}

/** The four DORA metrics. */
const keys: readonly Key[] = [
  {
    name: 'Deployment frequency',
    figure: 'DEPLOYMENTS',
    inWords: formatNumber,
    count: ({ deployments }) => deployments,
    value: ({ deployments }) => deployments,
    about: ({ deployments }, days) => `${formatNumber(deployments / days)} per day`,
  },
  {
    name: 'Lead time',
    figure: 'COMMITS_KNOWN',
    inWords: formatDuration,
    count: ({ commitsKnown }) => commitsKnown,
    value: ({ medianLeadSeconds }) => medianLeadSeconds,
    about: ({ commitsKnown }) => `Median since the commit (${formatNumber(commitsKnown)} known)`,
  },
  {
    name: 'Change failure rate',
    figure: 'FAILURES',
    inWords: formatPercent,
    count: ({ failures }) => failures,
    value: ({ changeFailureRate }) => changeFailureRate,
    outOf: { figure: 'CHANGES', count: ({ changes }) => changes },
    about: ({ failures, changes }) => `${formatNumber(failures)} of ${formatNumber(changes)} changes`,
  },
  {
    name: 'Time to restore',
    figure: 'RESTORES',
    inWords: formatDuration,
    count: ({ restores }) => restores,
    value: ({ medianRestoreSeconds }) => medianRestoreSeconds,
    outOf: { figure: 'FAILURES', count: ({ failures }) => failures },
    about: ({ restores, failures }) => `Median of ${formatNumber(restores)} of ${formatNumber(failures)} failures`,
  },
]

export const deliveryColumns: readonly Column<DeliveryReportRow>[] = keys.map((key) => ({
  head: key.name,
  figure: key.figure,
  count: key.count,
  text: (row) => valueInWords(key, row),
}))

function valueInWords({ value, inWords }: Key, row: DeliveryReportRow): string {
  const known = value(row)
  return known === undefined ? noValue : inWords(known)
}

const dayMs = 86_400_000

type Props = { filters: Filters; time: TimeRange }

/** Shows the four DORA metrics for a period and over time. */
export const Deliveries = ({ filters, time }: Props) => {
  const scope = deliveryScope(filters)
  const query = { ...time, ...scope, interval: intervalOf(time, new Date()) }
  const total = useOperation('getDeliveryReport', { query: { ...query, interval: 'TOTAL' } })
  const report = useOperation('getDeliveryReport', { query })
  const days = (startTime: string, endTime: string) => (Date.parse(endTime) - Date.parse(startTime)) / dayMs
  return (
    <Section title="Delivery" aside={<CsvLink of="delivery over time" operation="getDeliveryReport" query={query} />}>
      <QueryResult of={total}>
        {({
          data: {
            startTime,
            endTime,
            rows: [whole],
          },
        }) =>
          whole && (
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              {keys.map((key) => (
                <Card key={key.name} withBorder padding="md">
                  <Text size="sm" c="dimmed">
                    {key.name}
                  </Text>
                  <Text size="xl" fw={650}>
                    <FigureLink figure={key.figure} count={key.count(whole)} of={{ ...scope, startTime, endTime }}>
                      {valueInWords(key, whole)}
                    </FigureLink>
                  </Text>
                  <Text size="sm" c="dimmed" mb="xs">
                    <FigureLink
                      figure={key.outOf?.figure ?? key.figure}
                      count={key.outOf?.count(whole) ?? 0}
                      of={{ ...scope, startTime, endTime }}
                    >
                      {key.about(whole, days(startTime, endTime))}
                    </FigureLink>
                  </Text>
                  <Drawn of={key} rows={report.data?.data.rows} startTime={startTime} endTime={endTime} />
                </Card>
              ))}
            </SimpleGrid>
          )
        }
      </QueryResult>
      <QueryResult of={report}>
        {({ data }) => (
          <Stack gap="xs" mt="md" component="details">
            <summary>Show as table</summary>
            <FigureTable
              label="Delivery over time"
              rows={data.rows}
              columns={deliveryColumns}
              first={{
                head: intervalNames[data.interval],
                cell: ({ startTime }) => formatDay(startTime),
                key: ({ startTime }) => startTime,
              }}
              recordsOf={(row) => ({ ...scope, ...timeOfRow(data, row) })}
            />
          </Stack>
        )}
      </QueryResult>
    </Section>
  )
}

const intervalNames = { DAY: 'Day', WEEK: 'Week from', MONTH: 'Month from', TOTAL: 'From' } as const

type Report = { startTime: string; endTime: string; rows: readonly { startTime: string }[] }

/** Returns the period of a row: up to the next row, or to the end of the report. */
function timeOfRow({ startTime, endTime, rows }: Report, row: { startTime: string }): RecordFilters {
  const next = rows[rows.findIndex((one) => one.startTime === row.startTime) + 1]
  return { startTime: row.startTime > startTime ? row.startTime : startTime, endTime: next?.startTime ?? endTime }
}

type DrawnProps = { of: Key; rows: readonly DeliveryReportRow[] | undefined; startTime: string; endTime: string }

const Drawn = ({ of: { name, value, inWords }, rows = [], startTime, endTime }: DrawnProps) => {
  const points = rows.flatMap((row) => {
    const known = value(row)
    return known === undefined ? [] : [{ timestamp: row.startTime, value: known }]
  })
  const isEmpty = points.every((point) => point.value === 0)
  if (isEmpty) {
    return (
      <Text size="sm" c="dimmed">
        No data for this period.
      </Text>
    )
  }
  const from = Math.min(Date.parse(startTime), ...points.map(({ timestamp }) => Date.parse(timestamp)))
  return (
    <Suspense fallback={<div style={{ height: chartHeight }} />}>
      <LineChart
        name={name}
        series={[{ name, points }]}
        inWords={inWords}
        height={chartHeight}
        range={[from, Date.parse(endTime)]}
        markers={[]}
      />
    </Suspense>
  )
}
