import { Box, Grid, Group, Skeleton, Stack } from '@mantine/core'
import type { PipelineRun, PipelineStepExecution, RunRetries, UserFacingError } from '@sluice/contract'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useMemo } from 'react'
import { PermissionScopeContext } from '../api/scope.ts'
import { useOperation } from '../api/use-operation.ts'
import { useCompleteList } from '../api/use-pages.ts'
import { Decisions } from '../decisions/decisions.tsx'
import { VersionApproval } from '../pipeline-versions/version-approval.tsx'
import { CopyableId } from '../ui/buttons/copyable-id.tsx'
import { ErrorPanel } from '../ui/error-panel.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { QueryResult } from '../ui/query-result.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { Elapsed, TimeAgo } from '../ui/time.tsx'
import { expandedSteps, type PipelineConfig, stepDependencies } from './config.ts'
import { initialStep } from './initial-step.ts'
import { RunActions } from './run-actions.tsx'
import { runTitle, summarizeInputs } from './run-title.ts'
import { StepList } from './step-list.tsx'
import { StepPanel } from './step-panel.tsx'

const RunGraph = lazy(() => import('./run-graph.tsx'))

const here = '/shell/console/runs/$id'

/** Shows a run: its steps as graph and list, approvals and logs. */
export const RunPage = () => {
  const { id } = useParams({ from: here })
  const run = useOperation('getPipelineRun', { params: { id }, query: { include: ['number', 'retries'] } })
  return (
    <PermissionScopeContext value={{ pipelineRunId: id }}>
      <QueryResult of={run}>{({ data, included }) => <Shown run={data} {...included} />}</QueryResult>
    </PermissionScopeContext>
  )
}

const Shown = ({ run, number, retries = {} }: { run: PipelineRun; number?: number; retries?: RunRetries }) => {
  const { id, status, description, inputs, triggeredBy, createdAt, startedAt, completedAt, pipelineId } = run
  const pipeline = useOperation('getPipeline', { params: { id: pipelineId } })
  const given = summarizeInputs(inputs)
  const steps = useCompleteList('listPipelineStepExecutions', { pipelineRunId: id })
  return (
    <Stack gap="lg">
      <PageTitle
        title={runTitle(pipeline.data?.data.name, number)}
        of={given || undefined}
        below={
          <>
            <TextLink to="/console/pipelines/$id" params={{ id: pipelineId }} underline="always">
              Pipeline
            </TextLink>
            {' · '}
            {description && `${description} · `}
            {given && `${given} · `}
            <Retries {...retries} />
            {triggeredBy} · <TimeAgo at={createdAt} />
            {startedAt && (
              <>
                {' '}
                · <Elapsed from={startedAt} to={completedAt} />
              </>
            )}
          </>
        }
        aside={<StatusBadge status={status} size="lg" />}
      />
      {run.error && <ErrorPanel error={withoutTheSteps(run.error)} />}
      <RunActions run={run} steps={steps.data?.toReversed() ?? []} isRetried={retries.retriedBy !== undefined} />
      <QueryResult of={steps}>{(data) => <Steps run={run} steps={data.toReversed()} />}</QueryResult>
      <Decided id={id} />
      <Group>
        <CopyableId id={id} />
      </Group>
    </Stack>
  )
}

/** Links to the run that this one retries, and to its own retry. */
const Retries = ({ retryOf, retriedBy }: RunRetries) => (
  <>
    {retryOf && <RetryLink run={retryOf}>retry of</RetryLink>}
    {retriedBy && <RetryLink run={retriedBy}>retried by</RetryLink>}
  </>
)

const RetryLink = ({ run: { id, number }, children }: { run: { id: string; number: number }; children: string }) => (
  <>
    <TextLink to="/console/runs/$id" params={{ id }} underline="always">
      {children} #{number}
    </TextLink>
    {' · '}
  </>
)

/** Omits the details of failed steps, which the steps show themselves. */
const withoutTheSteps = ({ details, ...error }: UserFacingError): UserFacingError =>
  error.metadata?.stepExecutionId === undefined && details ? { ...error, details } : error

/** Shows who requested and who ended the run; nothing if the audit log has no entries. */
const Decided = ({ id }: { id: string }) => {
  const { data } = useOperation('getPipelineRun', { params: { id }, query: { include: ['decisions'] } })
  return <Decisions decisions={data?.included?.decisions} />
}

const isForVersion = ({ status, queueReason }: PipelineStepExecution): boolean =>
  status === 'QUEUED' && queueReason === 'VERSION_NOT_APPROVED'

type Props = { run: PipelineRun; steps: readonly PipelineStepExecution[] }

const Steps = ({ run, steps }: Props) => {
  const { step: asked } = useSearch({ from: here })
  const navigate = useNavigate()
  const version = useOperation('getPipelineVersion', { params: { id: run.pipelineVersionId } })
  const written = version.data?.data.config
  const config = useMemo(() => expandedSteps((written ?? {}) as PipelineConfig), [written])
  const needs = useMemo(() => stepDependencies(config), [config])
  const chosen = steps.find(({ stepId }) => stepId === asked) ?? initialStep(steps)
  if (!chosen) return <Notice title="This run has no steps" />
  const choose = (step: string) =>
    navigate({ to: '/console/runs/$id', params: { id: run.id }, search: { step }, replace: true, resetScroll: false })
  const unapproved = steps.find(isForVersion)?.queueMetadata.version
  return (
    <>
      {typeof unapproved === 'number' && <VersionApproval id={run.pipelineVersionId} version={unapproved} />}
      {/* On a phone its words are too small to read: the list says the same. */}
      <Box visibleFrom="sm">
        <Suspense fallback={<Skeleton height={140} radius="md" />}>
          {config.length > 0 && <RunGraph needs={needs} steps={steps} chosen={chosen.stepId} onChoose={choose} />}
        </Suspense>
      </Box>
      <Grid gap="lg" overflow="hidden">
        <Grid.Col span={{ base: 12, md: 4, lg: 3 }}>
          <StepList steps={steps} chosen={chosen.stepId} onChoose={choose} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 8, lg: 9 }}>
          <StepPanel key={chosen.id} run={run} step={chosen} steps={steps} config={config} />
        </Grid.Col>
      </Grid>
    </>
  )
}
