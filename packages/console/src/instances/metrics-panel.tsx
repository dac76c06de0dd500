import { SegmentedControl, Stack } from '@mantine/core'
import type { ModuleInstance } from '@sluice/contract'
import { isDeploymentOver } from '@sluice/contract/states'
import { useState } from 'react'
import { useOperation } from '../api/use-operation.ts'
import { VersionMetrics } from '../deployments/version-metrics.tsx'
import { Section } from '../ui/section.tsx'
import { MetricCharts } from './metric-charts.tsx'
import { markersInRange } from './metric-markers.ts'

const hourMs = 3_600_000
const ranges = {
  '1 h': hourMs,
  '3 h': 3 * hourMs,
  '1 day': 24 * hourMs,
  '1 week': 168 * hourMs,
  '4 weeks': 672 * hourMs,
}
type RangeName = keyof typeof ranges

/** Shows the metrics of an instance with its releases as markers. */
export const MetricsPanel = ({ instance: { id } }: { instance: ModuleInstance }) => {
  const [range, setRange] = useState<RangeName>('3 h')
  const [from, setFrom] = useState(() => startOf('3 h'))
  const releases = useOperation('listDeployments', { query: { moduleInstanceId: id, limit: 50 } })
  const choose = (chosen: RangeName) => {
    setRange(chosen)
    setFrom(startOf(chosen))
  }
  const inProgress = releases.data?.data.find(({ status }) => !isDeploymentOver(status))
  return (
    <Stack gap="lg">
      {inProgress?.startedAt !== undefined && <VersionMetrics deployment={inProgress} />}
      <Section
        title="Metrics"
        aside={
          <SegmentedControl<RangeName>
            aria-label="Time range"
            size="xs"
            data={Object.keys(ranges) as RangeName[]}
            value={range}
            onChange={choose}
          />
        }
      >
        <MetricCharts
          instanceId={id}
          startTime={from}
          markersIn={(from, to) => markersInRange(releases.data?.data ?? [], from, to)}
        />
      </Section>
    </Stack>
  )
}

const startOf = (range: RangeName): string => new Date(Date.now() - ranges[range]).toISOString()
