import type { Deployment } from '@sluice/contract'
import { eventsOf } from '@sluice/contract/stages'
import { MetricCharts } from '../instances/metric-charts.tsx'
import { releaseMarkers } from '../instances/metric-markers.ts'
import { Section } from '../ui/section.tsx'

/** Time before and after the release to show for comparison. */
const aroundMs = 30 * 60_000

/** Shows metrics before, during and after a release, with its traffic shifts. */
export const ReleaseMetrics = ({ deployment, startedAt }: { deployment: Deployment; startedAt: string }) => {
  const { moduleInstanceId, completedAt } = deployment
  const from = new Date(Date.parse(startedAt) - aroundMs).toISOString()
  const last = completedAt === undefined ? undefined : Date.parse(completedAt) + aroundMs
  const isPast = last !== undefined && last < Date.now()
  return (
    <Section title="Metrics during the release">
      <MetricCharts
        instanceId={moduleInstanceId}
        startTime={from}
        endTime={isPast ? new Date(last).toISOString() : undefined}
        markersIn={() => releaseMarkers(deployment, eventsOf(deployment))}
      />
    </Section>
  )
}
