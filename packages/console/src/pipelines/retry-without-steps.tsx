import { Checkbox, Stack, Textarea } from '@mantine/core'
import type { PipelineRun, PipelineStepExecution } from '@sluice/contract'
import { useNavigate } from '@tanstack/react-router'
import { useContext } from 'react'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { FormModal, textFieldValue } from '../ui/forms/form-modal.tsx'
import { FormProblems } from '../ui/forms/form-problems.ts'

type Props = { run: PipelineRun; steps: readonly PipelineStepExecution[] }

/** Retries a failed run without some of its steps, with a reason. */
export const RetryWithoutSteps = ({ run: { id }, steps }: Props) => {
  const navigate = useNavigate()
  const faults = useContext(FormProblems)
  const retry = useApiMutation(
    (form: FormData) => {
      const skip = form.getAll('skip').map(String)
      return client.retryPipelineRun({
        params: { id },
        body: { data: { skip, reason: textFieldValue(form, 'reason') } },
      })
    },
    ['getPipelineRun', 'listPipelineRuns'],
    ({ data }) => navigate({ to: '/console/runs/$id', params: { id: data.id } }),
  )
  const [first, ...others] = steps.filter(isSkippable)
  if (!first) return null
  return (
    <FormModal
      permission="pipeline-runs:skip"
      label="Retry without steps…"
      title="Retry without steps"
      submit="Retry"
      change={retry}
      button={{ variant: 'default' }}
    >
      <Checkbox.Group
        label="Steps to skip"
        description="Skipped steps count as successful for the steps that depend on them, and have no outputs."
        defaultValue={[first.stepId]}
        error={faults.skip}
        withAsterisk
      >
        <Stack gap="xs" mt={4}>
          {[first, ...others].map(({ stepId, stepName, stepType }) => (
            <Checkbox key={stepId} name="skip" value={stepId} label={stepName} description={stepType} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Textarea
        name="reason"
        label="Reason"
        description="Recorded in the audit log."
        placeholder="The test environment is down until Monday."
        autosize
        minRows={2}
        maxLength={10_000}
        required
        error={faults.reason}
      />
    </FormModal>
  )
}

/** Returns whether a step can be skipped: not if it succeeded or is an approval. The server checks further rules. */
const isSkippable = ({ status, stepType }: PipelineStepExecution): boolean =>
  status !== 'SUCCESS' && stepType !== 'approval'
