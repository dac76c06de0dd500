import { Button, Group, Stack, Text } from '@mantine/core'
import type { PipelineRun, PipelineStepExecution } from '@sluice/contract'
import { useMutation } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { client } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'
import { followMs, keyOf, useOperation } from '../api/use-operation.ts'
import { ApprovalRow } from '../approvals/approval-row.tsx'
import { Answer } from '../ui/answer.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { Section } from '../ui/section.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { Elapsed, TimeAgo } from '../ui/time.tsx'
import { StepLog } from './step-log.tsx'

const isOver = ({ status }: PipelineRun): boolean => ['SUCCESS', 'ERROR', 'CANCELLED'].includes(status)

/** One run: its steps in their order, what they wait for, and what they wrote. */
export const RunPage = () => {
  const { id } = useParams({ from: '/shell/console/runs/$id' })
  const run = useOperation(
    'getPipelineRun',
    { params: { id } },
    { refetchInterval: ({ state }) => (state.data && isOver(state.data.data) ? false : followMs) },
  )
  return <Answer of={run}>{({ data }) => <Shown run={data} />}</Answer>
}

const Shown = ({ run }: { run: PipelineRun }) => {
  const { id, status, description, triggeredBy, createdAt, startedAt, completedAt } = run
  const pipeline = useOperation('getPipeline', { params: { id: run.pipelineId } })
  const steps = useOperation(
    'listPipelineStepExecutions',
    { query: { pipelineRunId: id, limit: 100 } },
    { refetchInterval: isOver(run) ? false : followMs },
  )
  const cancel = useMutation({
    mutationFn: () => client.cancelPipelineRun({ params: { id } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keyOf('getPipelineRun') }),
  })
  return (
    <Stack gap="lg" maw={960}>
      <PageTitle
        title={pipeline.data?.data.name ?? 'Run'}
        below={
          <>
            {description && `${description} · `}
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
      {run.error && <ErrorPanel error={run.error} />}
      {cancel.error && <ErrorPanel error={errorOf(cancel.error)} />}
      {!isOver(run) && (
        <Group>
          <Button color="red" variant="light" loading={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel the run
          </Button>
        </Group>
      )}
      <Answer of={steps}>
        {({ data }) => (
          <>
            {data.toReversed().map((step) => (
              <Step key={step.id} step={step} />
            ))}
          </>
        )}
      </Answer>
      <Text size="sm" c="dimmed">
        {id}
      </Text>
    </Stack>
  )
}

const Step = ({ step }: { step: PipelineStepExecution }) => (
  <Section title={step.stepName} aside={<StatusBadge status={step.status} />}>
    <Stack gap="sm">
      {step.status === 'PENDING_APPROVAL' && <ApprovalRow step={step} />}
      {step.error && <ErrorPanel error={step.error} />}
      {step.startedAt && (
        <Text size="sm" c="dimmed">
          {step.stepType} · <Elapsed from={step.startedAt} to={step.completedAt} />
        </Text>
      )}
      {step.attemptEpoch > 0 && <StepLog step={step} />}
    </Stack>
  </Section>
)
