import { Button, Group, Stack, Text } from '@mantine/core'
import type { PipelineStepExecution } from '@sluice/contract'
import { IconCheck, IconX } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { client } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'
import { keyOf, useOperation } from '../api/use-operation.ts'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { TimeAgo } from '../ui/time.tsx'

type Request = { message?: string; requestedAt?: string; expiresAt?: string }

/** One step that waits: what is asked, since when, and the decision. */
export const ApprovalRow = ({ step }: { step: PipelineStepExecution }) => {
  const { data: principal } = useOperation('whoami', {}, { staleTime: 60_000 })
  const decide = useMutation({
    mutationFn: (isApproved: boolean) =>
      isApproved
        ? client.approvePipelineStepExecution({ params: { id: step.id } })
        : client.rejectPipelineStepExecution({ params: { id: step.id }, body: {} }),
    onSuccess: async () => {
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: keyOf('listPipelineStepExecutions') }),
        queryClient.invalidateQueries({ queryKey: keyOf('getPipelineRun') }),
      ])
    },
  })
  const { message, requestedAt } = (step.statusDetail?.approval ?? {}) as Request
  return (
    <Stack gap="xs" py="xs">
      <Group justify="space-between" gap="md">
        <Stack gap={2} miw={0}>
          <TextLink to="/console/runs/$id" params={{ id: step.pipelineRunId }} fw={600}>
            {step.stepName}
          </TextLink>
          <Text size="sm">{message ?? 'It waits for a decision.'}</Text>
          {requestedAt && (
            <Text size="sm" c="dimmed">
              asked <TimeAgo at={requestedAt} />
            </Text>
          )}
        </Stack>
        {principal && principal.data.role !== 'VIEWER' && (
          <Group gap="xs">
            <Button
              leftSection={<IconCheck size={16} aria-hidden />}
              loading={decide.isPending && decide.variables}
              onClick={() => decide.mutate(true)}
            >
              Approve
            </Button>
            <Button
              variant="default"
              leftSection={<IconX size={16} aria-hidden />}
              loading={decide.isPending && !decide.variables}
              onClick={() => decide.mutate(false)}
            >
              Reject
            </Button>
          </Group>
        )}
      </Group>
      {decide.error && <ErrorPanel error={errorOf(decide.error)} />}
    </Stack>
  )
}
