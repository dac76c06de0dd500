import { Group, Stack, Textarea } from '@mantine/core'
import type { PipelineStepExecution } from '@sluice/contract'
import { IconCheck, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { client } from '../api/client.ts'
import { Here } from '../api/place.ts'
import { useChange } from '../api/use-change.ts'
import { useMay } from '../api/use-may.ts'
import { AllowedButton } from '../ui/allowed-button.tsx'
import { ConfirmButton } from '../ui/confirm-button.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'

const needs = 'approvals:write'
const shows = ['listPipelineStepExecutions', 'getPipelineRun', 'listPipelineRuns', 'listIacPlans'] as const

/** Approve or turn down, by whoever may in all places in which it lets steps act. */
export const Decision = ({ step }: { step: PipelineStepExecution }) => (
  <Here value={{ stepExecutionId: step.id }}>
    <Decide step={step} />
  </Here>
)

/** The buttons, and why where that helps. */
const Decide = ({ step: { id, stepName } }: { step: PipelineStepExecution }) => {
  const { isAllowed } = useMay(needs)
  const [typed, setComment] = useState('')
  const comment = typed.trim()
  const decision = { params: { id }, body: comment === '' ? {} : { data: { comment } } }
  const approve = useChange(() => client.approvePipelineStepExecution(decision), shows)
  const reject = useChange(() => client.rejectPipelineStepExecution(decision), shows)
  const refused = approve.error ?? reject.error
  return (
    <Stack gap="xs">
      {isAllowed && (
        <Textarea
          aria-label={`Comment on “${stepName}”`}
          placeholder="Comment, for everybody who looks at the run"
          maw={480}
          rows={1}
          autosize
          maxLength={10_000}
          value={typed}
          onChange={({ currentTarget }) => setComment(currentTarget.value)}
        />
      )}
      <Group gap="xs">
        <AllowedButton
          needs={needs}
          leftSection={<IconCheck size={16} aria-hidden />}
          loading={approve.isPending}
          disabled={reject.isPending}
          onClick={() => approve.mutate(undefined)}
        >
          Approve
        </AllowedButton>
        <ConfirmButton
          needs={needs}
          variant="default"
          leftSection={<IconX size={16} aria-hidden />}
          loading={reject.isPending}
          disabled={approve.isPending}
          label="Reject"
          question={`Reject “${stepName}”?`}
          onConfirm={() => reject.mutate(undefined)}
        >
          The step fails, and with it what needs it. Its plan is never applied.
        </ConfirmButton>
      </Group>
      {refused && <ErrorPanel error={errorOf(refused)} />}
    </Stack>
  )
}
