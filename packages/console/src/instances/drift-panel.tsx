import { Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import type { StackDrift } from '@sluice/contract'
import { useContext } from 'react'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { useOperation } from '../api/use-operation.ts'
import { ManagedByFiles } from '../files/managed-by-files.tsx'
import { PermissionButton } from '../ui/buttons/permission-button.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { FormModal, textFieldValue } from '../ui/forms/form-modal.tsx'
import { FormProblems } from '../ui/forms/form-problems.ts'
import { TimeZoneSelect } from '../ui/forms/time-zone-select.tsx'
import { QueryResult } from '../ui/query-result.tsx'
import { Section } from '../ui/section.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { TimeAgo } from '../ui/time.tsx'

const permission = 'stacks:write'
const shows = ['getStackDrift'] as const

/** Shows the drift check schedule of an instance and the latest result. */
export const DriftPanel = ({ projectId, stackId: id }: { projectId: string; stackId: string }) => {
  const drift = useOperation('getStackDrift', { params: { id } })
  const look = useApiMutation(() => client.checkStackDrift({ params: { id } }), shows)
  const stop = useApiMutation(
    () => client.updateStackDrift({ params: { id }, body: { data: { schedule: null } } }),
    shows,
  )
  const mutationError = look.error ?? stop.error
  return (
    <Section title="Drift">
      <QueryResult of={drift} lines={2}>
        {({ data }) => (
          <Stack gap="xs">
            <Text size="sm">{whenLooked(data)}</Text>
            <ManagedByFiles projectId={projectId} recordId={id} />
            <LatestLook of={data} />
            <Group gap="xs">
              <ScheduleForm id={id} of={data.schedule} />
              <PermissionButton
                permission={permission}
                size="xs"
                variant="default"
                loading={look.isPending}
                onClick={() => look.mutate(undefined)}
              >
                Check now
              </PermissionButton>
              {data.schedule && (
                <PermissionButton
                  permission={permission}
                  size="xs"
                  variant="subtle"
                  loading={stop.isPending}
                  onClick={() => stop.mutate(undefined)}
                >
                  Stop checking
                </PermissionButton>
              )}
            </Group>
            {mutationError && <ErrorPanel error={errorOf(mutationError)} />}
          </Stack>
        )}
      </QueryResult>
    </Section>
  )
}

const whenLooked = ({ schedule }: StackDrift): string => {
  if (!schedule) return 'Drift is not checked on a schedule.'
  const { cron, timeZone, reconciles } = schedule
  return `Checked on the schedule ${cron} (${timeZone}).${reconciles ? ' If drift is found, a run to undo it starts automatically.' : ''}`
}

const outcomes = {
  IN_PROGRESS: 'is in progress',
  IN_SYNC: 'found no drift',
  DRIFTED: 'found drift',
  FAILED: 'failed',
} as const satisfies Record<NonNullable<StackDrift['latestCheck']>['status'], string>

const LatestLook = ({ of: { latestCheck, driftedCount } }: { of: StackDrift }) => {
  if (!latestCheck) return null
  const { status, pipelineRunId, at, error } = latestCheck
  const count = driftedCount > 0 ? ` in ${driftedCount} ${driftedCount === 1 ? 'resource' : 'resources'}` : ''
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      {pipelineRunId === undefined ? (
        'The latest check'
      ) : (
        <TextLink to="/console/runs/$id" params={{ id: pipelineRunId }} inherit>
          The latest check
        </TextLink>
      )}{' '}
      {outcomes[status]}
      {count}
      {at !== undefined && (
        <>
          {', '}
          <TimeAgo at={at} />
        </>
      )}
      {error && `. ${error.message}`}
    </Text>
  )
}

const ScheduleForm = ({ id, of }: { id: string; of: StackDrift['schedule'] }) => {
  const save = useApiMutation((form: FormData) => {
    const schedule = {
      cron: textFieldValue(form, 'cron'),
      timeZone: textFieldValue(form, 'timeZone'),
      reconciles: form.has('reconciles'),
      ...(of?.pipelineId !== undefined && { pipelineId: of.pipelineId }),
    }
    return client.updateStackDrift({ params: { id }, body: { data: { schedule } } })
  }, shows)
  return (
    <FormModal
      permission={permission}
      label={of ? 'Edit schedule' : 'Add schedule'}
      title="Drift check schedule"
      submit="Save"
      change={save}
      button={{ size: 'xs', variant: 'default' }}
    >
      <ScheduleFields of={of} />
    </FormModal>
  )
}

const ScheduleFields = ({ of }: { of: StackDrift['schedule'] }) => {
  const faults = useContext(FormProblems)
  return (
    <>
      <TextInput
        name="cron"
        label="Cron expression"
        description="Minute, hour, day of month, month, day of week."
        placeholder="0 6 * * *"
        required
        maxLength={100}
        defaultValue={of?.cron ?? '0 6 * * *'}
        data-autofocus
        error={faults['schedule.cron']}
      />
      <TimeZoneSelect value={of?.timeZone} error={faults['schedule.timeZone']} />
      <Checkbox
        name="reconciles"
        label="Start a run to undo drift"
        description="Waits for approval like any other run."
        defaultChecked={of?.reconciles}
      />
    </>
  )
}
