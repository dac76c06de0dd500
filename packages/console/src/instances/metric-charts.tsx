import { SimpleGrid, Stack, Text } from '@mantine/core'
import type { ModuleInstanceMetric, ModuleInstanceMetrics } from '@sluice/contract'
import { useOperation } from '../api/use-operation.ts'
import { QueryResult } from '../ui/query-result.tsx'
import { MarkerList } from './marker-list.tsx'
import { MetricChart } from './metric-chart.tsx'
import type { Marker } from './metric-markers.ts'

/** The cloud has a new data point at this interval. */
const everyMs = 60_000
/** More markers would hide the data; the list shows all. */
export const maxMarkers = 20

type Props = {
  instanceId: string
  startTime: string
  /** Defaults to now. */
  endTime?: string | undefined
  /** Returns the events in the range, oldest first. */
  markersIn: (from: number, to: number) => Marker[]
}

/** Shows the metrics of an instance in a time range with event markers. */
export const MetricCharts = ({ instanceId, startTime, endTime, markersIn }: Props) => {
  const metrics = useOperation(
    'getModuleInstanceMetrics',
    { params: { id: instanceId }, query: { startTime, ...(endTime !== undefined && { endTime }) } },
    endTime === undefined ? { refetchInterval: everyMs } : {},
  )
  return (
    <QueryResult of={metrics} lines={4}>
      {({ data, meta }) => {
        const [from, to] = [Date.parse(meta.startTime), Date.parse(meta.endTime)]
        return <Charts metrics={data} meta={meta} markers={markersIn(from, to).slice(-maxMarkers)} />
      }}
    </QueryResult>
  )
}

type Shown = { metrics: ModuleInstanceMetric[]; meta: ModuleInstanceMetrics['meta']; markers: Marker[] }

const Charts = ({ metrics, meta, markers }: Shown) => (
  <Stack gap="md">
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      {metrics.map((metric) => (
        <MetricChart
          key={metric.id}
          name={metric.name}
          unit={metric.unit}
          series={[metric]}
          range={[Date.parse(meta.startTime), Date.parse(meta.endTime)]}
          markers={markers}
          error={metric.error}
        />
      ))}
    </SimpleGrid>
    <MarkerList markers={markers} />
    <Text size="xs" c="dimmed">
      Each point covers {formatPeriod(meta.periodSeconds)}.
    </Text>
  </Stack>
)

export function formatPeriod(seconds: number): string {
  if (seconds % 3_600 === 0) return seconds === 3_600 ? '1 hour' : `${seconds / 3_600} hours`
  return seconds === 60 ? '1 minute' : `${seconds / 60} minutes`
}
