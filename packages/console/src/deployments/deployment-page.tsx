import { Grid, Group, Skeleton, Stack } from '@mantine/core'
import type { Deployment } from '@sluice/contract'
import { eventsOf } from '@sluice/contract/stages'
import { isDeploymentOver, pendingPause } from '@sluice/contract/states'
import { useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { PermissionScopeContext } from '../api/scope.ts'
import { useInstance } from '../api/use-instance.ts'
import { useOperation } from '../api/use-operation.ts'
import { FreezeBanner } from '../freezes/freeze-banner.tsx'
import { CurrentStatus } from '../services/current-status.tsx'
import { Breadcrumb, useScopeNames } from '../ui/breadcrumb.tsx'
import { CopyableId } from '../ui/buttons/copyable-id.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { QueryResult } from '../ui/query-result.tsx'
import { Section } from '../ui/section.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { Elapsed, TimeAgo } from '../ui/time.tsx'
import { DeploymentActions } from './deployment-actions.tsx'
import { FailurePanel } from './panels/failure-panel.tsx'
import { PausePanel } from './panels/pause-panel.tsx'
import { TypePanel } from './panels/type-panel.tsx'
import { WaitPanel } from './panels/wait-panel.tsx'
import { PauseDecision } from './pause-decision.tsx'
import { displayStatus, targetName, triggeredBy } from './release-display.ts'
import { StageTrack } from './stage-track.tsx'
import { deploymentTitle, useTargetNames } from './target-names.ts'
import { Timeline } from './timeline.tsx'
import { useDecisions } from './use-decisions.ts'
import { useDeploymentDetails } from './use-pause-preview.ts'

// Panels further down are loaded on demand to keep the first page small.
const AnalysisPanel = lazy(() =>
  import('./panels/analysis-panel.tsx').then((module) => ({ default: module.AnalysisPanel })),
)
const ApprovalPanel = lazy(() =>
  import('./panels/approval-panel.tsx').then((module) => ({ default: module.ApprovalPanel })),
)
const ChangesPanel = lazy(() =>
  import('./panels/changes-panel.tsx').then((module) => ({ default: module.ChangesPanel })),
)
const PolicyPanel = lazy(() =>
  import('../policies/policy-panel.tsx').then((module) => ({ default: module.PolicyPanel })),
)
const PromotionPanel = lazy(() =>
  import('./panels/promotion-panel.tsx').then((module) => ({ default: module.PromotionPanel })),
)
const ResourcesPanel = lazy(() =>
  import('./panels/resources-panel.tsx').then((module) => ({ default: module.ResourcesPanel })),
)
const ReleaseNotesPanel = lazy(() =>
  import('./panels/release-notes-panel.tsx').then((module) => ({ default: module.ReleaseNotesPanel })),
)
const SourcePanel = lazy(() => import('./panels/source-panel.tsx').then((module) => ({ default: module.SourcePanel })))
const StageTimes = lazy(() => import('./stage-times.tsx').then((module) => ({ default: module.StageTimes })))
const ReleaseMetrics = lazy(() =>
  import('./release-metrics.tsx').then((module) => ({ default: module.ReleaseMetrics })),
)
const VersionMetrics = lazy(() =>
  import('./version-metrics.tsx').then((module) => ({ default: module.VersionMetrics })),
)

/** Shows a deployment: its progress, what it waits for, and the decisions. */
export const DeploymentPage = () => {
  const { id } = useParams({ from: '/shell/console/deployments/$id' })
  const deployment = useOperation('getDeployment', { params: { id } })
  return (
    <QueryResult of={deployment}>
      {({ data }) => (
        <PermissionScopeContext value={{ projectId: data.projectId, environmentId: data.environmentId }}>
          <DeploymentView deployment={data} />
        </PermissionScopeContext>
      )}
    </QueryResult>
  )
}

const DeploymentView = ({ deployment }: { deployment: Deployment }) => {
  const { id, data } = deployment
  const pause = pendingPause(deployment)
  const decisions = useDecisions(id)
  const scopeNames = useScopeNames(deployment)
  const named = useTargetNames(deployment)
  const called = named.service ?? targetName(deployment)
  const service = named.service === undefined ? undefined : { id: deployment.moduleInstanceId, name: named.service }
  const mutationError =
    decisions.continue.error ?? decisions.cancel.error ?? decisions.redeploy.error ?? decisions.rollBack.error
  return (
    <Stack gap="lg" maw={1200}>
      <PageTitle
        title={deploymentTitle(deployment, named)}
        above={<Breadcrumb project={scopeNames.project} environment={scopeNames.environment} service={service} />}
        below={<Summary deployment={deployment} />}
        aside={
          <Group gap="sm">
            <StatusBadge status={displayStatus(deployment)} size="lg" />
            <DeploymentActions deployment={deployment} decisions={decisions} />
          </Group>
        }
      />
      {mutationError && <ErrorPanel error={errorOf(mutationError)} />}
      {deployment.error && <FailurePanel deployment={deployment} error={deployment.error} service={called} />}
      {deployment.status === 'PENDING' && <WaitPanel deployment={deployment} service={called} />}
      {deployment.status === 'PENDING' && (
        <Suspense>
          <ApprovalPanel id={id} />
        </Suspense>
      )}
      {deployment.status !== 'PENDING' && !isDeploymentOver(deployment.status) && (
        <FreezeBanner
          scope={deployment}
          instance={{ id: deployment.moduleInstanceId, name: called }}
          acts={['CONTINUES']}
        />
      )}
      <StageTrack deployment={deployment} />
      {pause && (
        <PausePanel deployment={deployment} pause={pause}>
          <PauseDecision deployment={deployment} pause={pause} decisions={decisions} />
        </PausePanel>
      )}
      <Grid gap="lg" overflow="hidden">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="lg">
            <SourceSection id={id} />
            <Suspense>
              <ReleaseNotesPanel id={id} />
            </Suspense>
            {data && <TypePanel data={data} />}
            <Suspense>
              <ChangesPanel id={id} moduleInstanceId={deployment.moduleInstanceId} />
            </Suspense>
            <ChecksSection of={id} />
            {deployment.startedAt && <ResourcesSection deployment={deployment} />}
            <VersionMetricsSection deployment={deployment} />
            <MetricsSection deployment={deployment} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="lg">
            <Section title={`Now in ${named.environment ?? 'this environment'}`}>
              <CurrentStatus moduleInstanceId={deployment.moduleInstanceId} />
            </Section>
            <PoliciesSection of={id} />
            <StagesSection deployment={deployment} />
            {isDeploymentOver(deployment.status) && (
              <Suspense>
                <PromotionPanel id={id} />
              </Suspense>
            )}
            <Section title="Events">
              <Timeline events={eventsOf(deployment)} />
            </Section>
          </Stack>
        </Grid.Col>
      </Grid>
      <CopyableId id={id} />
    </Stack>
  )
}

const SourceSection = ({ id }: { id: string }) => {
  const { source } = useDeploymentDetails(id).data?.included ?? {}
  return <Suspense>{source && <SourcePanel source={source} />}</Suspense>
}

const ResourcesSection = ({ deployment }: { deployment: Deployment }) => (
  <Suspense>
    <ResourcesPanel deployment={deployment} />
  </Suspense>
)

/** Shows automated checks; nothing if the module has none. */
const ChecksSection = ({ of: id }: { of: string }) => {
  const { analysis = [] } = useDeploymentDetails(id).data?.included ?? {}
  if (analysis.length === 0) return null
  return (
    <Suspense>
      <AnalysisPanel analyses={analysis} />
    </Suspense>
  )
}

/** Shows policy decisions; nothing if no policy was evaluated. */
const PoliciesSection = ({ of: id }: { of: string }) => {
  const { policies = [] } = useDeploymentDetails(id).data?.included ?? {}
  if (policies.length === 0) return null
  return (
    <Suspense>
      <PolicyPanel verdicts={policies} />
    </Suspense>
  )
}

/** Compares versions of deployment types that split traffic. */
const VersionMetricsSection = ({ deployment }: { deployment: Deployment }) => {
  const { deploymentType, startedAt } = deployment
  if (startedAt === undefined || !['cloud:ecs', 'cloud:lambda'].includes(deploymentType)) return null
  return (
    <Suspense>
      <VersionMetrics deployment={deployment} />
    </Suspense>
  )
}

/** Shows metrics; nothing if the module has none. */
const MetricsSection = ({ deployment }: { deployment: Deployment }) => {
  const instance = useInstance(deployment.moduleInstanceId)
  const { startedAt } = deployment
  if (startedAt === undefined || !instance?.ui?.metrics?.length) return null
  return (
    <Suspense>
      <ReleaseMetrics deployment={deployment} startedAt={startedAt} />
    </Suspense>
  )
}

/** Shows the duration of each stage and its decisions. */
const StagesSection = ({ deployment }: { deployment: Deployment }) => {
  const { decisions = [] } = useDeploymentDetails(deployment.id).data?.included ?? {}
  if (eventsOf(deployment).length + decisions.length === 0) return null
  return (
    <Section title="Stages">
      <Suspense fallback={<Skeleton height={160} radius="md" />}>
        <StageTimes deployment={deployment} decisions={decisions} />
      </Suspense>
    </Section>
  )
}

/** Shows the description, trigger, time and related records of a deployment. */
const Summary = ({ deployment }: { deployment: Deployment }) => {
  const { description, startedAt, completedAt, createdAt, moduleInstanceId, pipelineRunId } = deployment
  const origin = deployment.redeployOfDeploymentId ?? deployment.rollbackToDeploymentId
  return (
    <>
      {description || 'No description'} · {triggeredBy(deployment)} · <TimeAgo at={createdAt} />
      {startedAt && (
        <>
          {' '}
          · <Elapsed from={startedAt} to={completedAt} />
        </>
      )}{' '}
      ·{' '}
      <TextLink to="/console/instances/$id" params={{ id: moduleInstanceId }} underline="always">
        module instance
      </TextLink>
      {pipelineRunId && (
        <>
          {' '}
          ·{' '}
          <TextLink to="/console/runs/$id" params={{ id: pipelineRunId }} underline="always">
            pipeline run
          </TextLink>
        </>
      )}
      {origin && (
        <>
          {' '}
          ·{' '}
          <TextLink to="/console/deployments/$id" params={{ id: origin }} underline="always">
            {deployment.rollbackToDeploymentId ? 'rolls back to' : 'redeploys'} an earlier deployment
          </TextLink>
        </>
      )}
    </>
  )
}
