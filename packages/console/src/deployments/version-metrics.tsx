import { SimpleGrid, Stack, Text } from '@mantine/core'
import type { Deployment, DeploymentMetric } from '@sluice/contract'
import { eventsOf } from '@sluice/contract/stages'
import { isDeploymentOver } from '@sluice/contract/states'
import { useOperation } from '../api/use-operation.ts'
import type { Bound, Series } from '../instances/chart-scales.ts'
import { formatMetric } from '../instances/format-metric.ts'
import { MarkerList } from '../instances/marker-list.tsx'
import { MetricChart } from '../instances/metric-chart.tsx'
import { formatPeriod, maxMarkers } from '../instances/metric-charts.tsx'
import { releaseMarkers } from '../instances/metric-markers.ts'
import { ErrorPanel } from '../ui/error-panel.tsx'
import { Section } from '../ui/section.tsx'

/** The server refreshes from the cloud at this interval. */
const refetchIntervalMs = 30_000

/**
 * Compares metrics of the old and the new version, with thresholds and traffic shifts. Shows nothing if the cloud
 * doesn't separate the versions.
 */
export const VersionMetrics = ({ deployment }: { deployment: Deployment }) => {
  const isOver = isDeploymentOver(deployment.status)
  const metrics = useOperation(
    'getDeploymentMetrics',
    { params: { id: deployment.id } },
    isOver ? {} : { refetchInterval: refetchIntervalMs },
  )
  if (!metrics.data) return null
  const { data, meta } = metrics.data
  if (data.length === 0 && !meta.error) return null
  const markers = releaseMarkers(deployment, eventsOf(deployment)).slice(-maxMarkers)
  const range: [number, number] = [Date.parse(meta.startTime), Date.parse(meta.endTime)]
  return (
    <Section title="Version comparison">
      <Stack gap="md">
        {meta.error && <ErrorPanel error={meta.error} />}
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          {data.map((metric) => (
            <MetricChart
              key={metric.id}
              name={metric.name}
              unit={metric.unit}
              series={seriesOf(metric)}
              bounds={boundsOf(metric)}
              range={range}
              markers={markers}
            />
          ))}
        </SimpleGrid>
        <MarkerList markers={markers} />
        <Text size="xs" c="dimmed">
          The dashed line is the previous version. Each point covers {formatPeriod(meta.periodSeconds)}.
        </Text>
      </Stack>
    </Section>
  )
}

const seriesOf = ({ old, new: fresh, both }: DeploymentMetric): Series[] => [
  ...(old ? [{ name: 'previous', points: old, isMuted: true }] : []),
  ...(fresh ? [{ name: 'new', points: fresh }] : []),
  ...(both ? [{ name: 'both versions', points: both }] : []),
]

const boundsOf = ({ minimum, maximum, unit }: DeploymentMetric): Bound[] => [
  ...(minimum === undefined ? [] : [{ value: minimum, label: `at least ${formatMetric(minimum, unit)}` }]),
  ...(maximum === undefined ? [] : [{ value: maximum, label: `at most ${formatMetric(maximum, unit)}` }]),
]
