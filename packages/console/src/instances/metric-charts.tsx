import { Group, SimpleGrid, Stack, Text } from '@mantine/core'
import type { ModuleInstanceMetric, ModuleInstanceMetrics } from '@sluice/contract'
import { lazy, Suspense } from 'react'
import { useOperation } from '../api/use-operation.ts'
import { Answer } from '../ui/answer.tsx'
import { ErrorPanel } from '../ui/error-panel.tsx'
import { TimeOfDay } from '../ui/time.tsx'
import type { Marker } from './metric-markers.ts'

/** The chart library is as large as all the rest: it is loaded where there is something to draw. */
const LineChart = lazy(() => import('./line-chart.tsx'))

/** Drawn anew as often as the cloud has a new point. */
const everyMs = 60_000
const chartHeight = 200
/** More lines than these hide what is measured; the list of them has all. */
const mostMarkers = 20

type Props = {
  instanceId: string
  startTime: string
  /** Up to now without it. */
  endTime?: string | undefined
  /** What happened meanwhile, oldest first. */
  markersIn: (from: number, to: number) => Marker[]
}

/** What the cloud measures of an instance in some time, with the moments that explain it. */
export const MetricCharts = ({ instanceId, startTime, endTime, markersIn }: Props) => {
  const metrics = useOperation(
    'getModuleInstanceMetrics',
    { params: { id: instanceId }, query: { startTime, ...(endTime !== undefined && { endTime }) } },
    endTime === undefined ? { refetchInterval: everyMs } : {},
  )
  return (
    <Answer of={metrics} lines={4}>
      {({ data, meta }) => {
        const [from, to] = [Date.parse(meta.startTime), Date.parse(meta.endTime)]
        return <Charts metrics={data} meta={meta} markers={markersIn(from, to).slice(-mostMarkers)} />
      }}
    </Answer>
  )
}

type Shown = { metrics: ModuleInstanceMetric[]; meta: ModuleInstanceMetrics['meta']; markers: Marker[] }

const Charts = ({ metrics, meta, markers }: Shown) => (
  <Stack gap="md">
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      {metrics.map((metric) => (
        <Chart key={metric.id} metric={metric} meta={meta} markers={markers} />
      ))}
    </SimpleGrid>
    {markers.length > 0 && (
      <Group component="ol" gap="md" m={0} p={0} aria-label="What happened meanwhile" style={{ listStyle: 'none' }}>
        {markers.map(({ at, label }, index) => (
          <Text key={`${at} ${label}`} component="li" size="xs">
            <b>{index + 1}</b> {label} <TimeOfDay at={new Date(at).toISOString()} />
          </Text>
        ))}
      </Group>
    )}
    <Text size="xs" c="dimmed">
      Each point stands for {secondsInWords(meta.periodSeconds)}.
    </Text>
  </Stack>
)

function secondsInWords(seconds: number): string {
  if (seconds % 3_600 === 0) return seconds === 3_600 ? 'an hour' : `${seconds / 3_600} hours`
  return seconds === 60 ? 'a minute' : `${seconds / 60} minutes`
}

type ChartProps = { metric: ModuleInstanceMetric; meta: ModuleInstanceMetrics['meta']; markers: Marker[] }

const Chart = ({ metric: { name, points, error }, meta: { startTime, endTime }, markers }: ChartProps) => {
  const latest = points.at(-1)
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Text size="sm" fw={600}>
          {name}
        </Text>
        {latest && <Text size="sm">{shortNumber(latest.value)}</Text>}
      </Group>
      {error && <ErrorPanel error={error} />}
      {!error && points.length === 0 && (
        <Text size="sm" c="dimmed" h={chartHeight}>
          The cloud measured nothing in this time.
        </Text>
      )}
      {points.length > 0 && (
        <Suspense fallback={<div style={{ height: chartHeight }} />}>
          <LineChart
            name={name}
            points={points}
            height={chartHeight}
            range={[Date.parse(startTime), Date.parse(endTime)]}
            markers={markers}
          />
        </Suspense>
      )}
    </div>
  )
}

const shortNumber = (value: number): string =>
  new Intl.NumberFormat('en', { maximumSignificantDigits: 3, notation: 'compact' }).format(value)
