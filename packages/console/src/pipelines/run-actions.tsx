import { Group } from '@mantine/core'
import type { PipelineRun, PipelineStepExecution } from '@sluice/contract'
import { isRunOver } from '@sluice/contract/states'
import { useNavigate } from '@tanstack/react-router'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { ConfirmButton } from '../ui/buttons/confirm-button.tsx'
import { PermissionButton } from '../ui/buttons/permission-button.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { IconBan, IconPlayerTrackNext, IconRefresh } from '../ui/icons.tsx'
import { RetryWithoutSteps } from './retry-without-steps.tsx'

type Props = {
  run: PipelineRun
  /** Final steps, if they are loaded. */
  steps: readonly PipelineStepExecution[]
  /** Whether another run already retries this one, so that only that run can be retried. */
  isRetried: boolean
}

/** Cancels, retries or reruns a pipeline run. */
export const RunActions = ({ run, steps, isRetried }: Props) => {
  const { id, pipelineId, pipelineVersionId, inputs, description } = run
  const navigate = useNavigate()
  const cancel = useApiMutation(
    () => client.cancelPipelineRun({ params: { id } }),
    ['getPipelineRun', 'listPipelineRuns', 'listPipelineStepExecutions'],
  )
  const again = useApiMutation(
    () => {
      const data = { pipelineId, pipelineVersionId, inputs, ...(description !== undefined && { description }) }
      return client.createPipelineRun({ body: { data } })
    },
    ['listPipelineRuns'],
    ({ data }) => navigate({ to: '/console/runs/$id', params: { id: data.id } }),
  )
  const retry = useApiMutation(
    () => client.retryPipelineRun({ params: { id }, body: {} }),
    ['getPipelineRun', 'listPipelineRuns'],
    ({ data }) => navigate({ to: '/console/runs/$id', params: { id: data.id } }),
  )
  const mutationError = cancel.error ?? again.error ?? retry.error
  const isRetriable = !isRetried && (run.status === 'ERROR' || run.status === 'CANCELLED')
  return (
    <>
      {mutationError && <ErrorPanel error={errorOf(mutationError)} />}
      <Group>
        {isRetriable && (
          <PermissionButton
            permission="pipeline-runs:write"
            command="retryRun"
            leftSection={<IconPlayerTrackNext size={16} aria-hidden />}
            loading={retry.isPending}
            onClick={() => retry.mutate(undefined)}
          >
            Retry failed steps
          </PermissionButton>
        )}
        {isRetriable && <RetryWithoutSteps run={run} steps={steps} />}
        {isRunOver(run.status) ? (
          <PermissionButton
            permission="pipeline-runs:write"
            command="rerun"
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={again.isPending}
            onClick={() => again.mutate(undefined)}
          >
            Rerun
          </PermissionButton>
        ) : (
          <ConfirmButton
            permission="pipeline-runs:write"
            command="cancelRun"
            color="red"
            variant="light"
            leftSection={<IconBan size={16} aria-hidden />}
            loading={cancel.isPending}
            label="Cancel run"
            question="Cancel this run?"
            onConfirm={() => cancel.mutate(undefined)}
          >
            Queued steps never start, and steps in progress are stopped. What was applied or deployed stays.
          </ConfirmButton>
        )}
      </Group>
    </>
  )
}
