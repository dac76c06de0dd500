import { Button, Code, Group, Stack, Table, Text, TextInput } from '@mantine/core'
import type { ExecutionEnvironment, Runner, RunnerToken } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { usePermission } from '../../api/use-permission.ts'
import { ConfirmButton } from '../../ui/buttons/confirm-button.tsx'
import { Copyable } from '../../ui/buttons/copyable.tsx'
import { RemoveButton } from '../../ui/buttons/remove-button.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { FormModal, textFieldValue } from '../../ui/forms/form-modal.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { DataTable } from '../../ui/tables/data-table.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { TimeAgo } from '../../ui/time.tsx'

const permission = 'execution-environments:write'

/** Lists the runners of a pool and their tokens. */
export const RunnerPool = ({ of: { id, name } }: { of: ExecutionEnvironment }) => {
  const { data: runners = [] } = useCompleteList('listRunners', { executionEnvironmentId: id })
  const { data: tokens = [] } = useCompleteList('listRunnerTokens', { executionEnvironmentId: id })
  const online = runners.filter(({ status }) => status === 'ONLINE').length
  return (
    <Stack gap="xs" pl="md">
      <Group justify="space-between">
        <Text size="sm">
          {online} of {runners.length} {runners.length === 1 ? 'runner' : 'runners'} online
        </Text>
        <NewToken executionEnvironmentId={id} name={name} />
      </Group>
      {runners.length > 0 && (
        <DataTable label={`Runners of ${name}`} head={['Machine', 'Version', 'Steps', 'Last seen', '']} minWidth={680}>
          {runners.map((one) => (
            <RunnerRow key={one.id} of={one} />
          ))}
        </DataTable>
      )}
      {tokens.length > 0 && (
        <DataTable label={`Tokens of ${name}`} head={['Token', 'Last used', '']} minWidth={480}>
          {tokens.map((one) => (
            <TokenRow key={one.id} of={one} />
          ))}
        </DataTable>
      )}
    </Stack>
  )
}

const NewToken = ({ executionEnvironmentId, name }: { executionEnvironmentId: string; name: string }) => {
  const create = useApiMutation(
    (form: FormData) =>
      client.createRunnerToken({ body: { data: { executionEnvironmentId, name: textFieldValue(form, 'name') } } }),
    ['listRunnerTokens'],
  )
  const made = create.data?.data
  return (
    <>
      <FormModal
        permission={permission}
        label="Create token"
        ariaLabel={`Create token for ${name}`}
        title={`Create token for ${name}`}
        submit="Create"
        change={create}
        button={{ size: 'xs', variant: 'default' }}
      >
        <TextInput name="name" label="Name" placeholder="rack 1" required data-autofocus />
      </FormModal>
      <SecretDialog title={`Token “${made?.name}”`} isOpen={made !== undefined} onClose={create.reset}>
        <Copyable label="Token" value={made?.token ?? ''} />
        <Text size="sm" c="dimmed">
          Run on each machine: <Code>SLUICE_RUNNER_TOKEN=… sluice runner --url {location.origin}</Code>
        </Text>
      </SecretDialog>
    </>
  )
}

const RunnerRow = ({ of }: { of: Runner }) => {
  const { id, machine, version, labels, capacity, isolation, status, steps, isDraining, lastSeenAt } = of
  const may = usePermission(permission)
  const shows = ['listRunners'] as const
  const drain = useApiMutation(
    () => client.updateRunner({ params: { id }, body: { data: { isDraining: !isDraining } } }),
    shows,
  )
  const forget = useApiMutation(() => client.deleteRunner({ params: { id } }), shows)
  const error = drain.error ?? forget.error
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={600}>
          {machine}
        </Text>
        <Text size="xs" c="dimmed">
          {[status.toLowerCase(), isDraining && 'draining', ...labels].filter(Boolean).join(' · ')}
        </Text>
      </Table.Td>
      <Table.Td>
        <Text size="sm">{version}</Text>
        <Text size="xs" c="dimmed">
          {isolation}
        </Text>
      </Table.Td>
      <Table.Td>
        <Text size="sm">
          {steps.length} of {capacity}
        </Text>
        {steps.map(({ stepExecutionId, stepName, pipelineRunId }) => (
          <Text key={stepExecutionId} size="xs">
            <TextLink to="/console/runs/$id" params={{ id: pipelineRunId }}>
              {stepName}
            </TextLink>
          </Text>
        ))}
      </Table.Td>
      <Table.Td>
        <TimeAgo at={lastSeenAt} />
      </Table.Td>
      <Table.Td ta="end">
        {error && <ErrorPanel error={errorOf(error)} />}
        <Button
          size="xs"
          variant="subtle"
          disabled={!may.isAllowed}
          loading={drain.isPending}
          aria-label={isDraining ? `Resume ${machine}` : `Drain ${machine}`}
          onClick={() => drain.mutate(undefined)}
        >
          {isDraining ? 'Resume' : 'Drain'}
        </Button>
        {status === 'OFFLINE' && (
          <RemoveButton permission={permission} label="Remove" name={machine} change={forget}>
            The runner appears again when it restarts.
          </RemoveButton>
        )}
      </Table.Td>
    </Table.Tr>
  )
}

const TokenRow = ({ of: { id, name, tokenHint, lastUsedAt } }: { of: RunnerToken }) => {
  const revoke = useApiMutation(() => client.deleteRunnerToken({ params: { id } }), ['listRunnerTokens'])
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <Text size="xs" c="dimmed" ff="monospace">
          {tokenHint}…
        </Text>
      </Table.Td>
      <Table.Td>{lastUsedAt ? <TimeAgo at={lastUsedAt} /> : 'Never'}</Table.Td>
      <Table.Td ta="end">
        {revoke.error && <ErrorPanel error={errorOf(revoke.error)} />}
        <ConfirmButton
          permission={permission}
          size="xs"
          variant="subtle"
          color="red"
          label="Revoke"
          ariaLabel={`Revoke ${name}`}
          question={`Revoke “${name}”?`}
          loading={revoke.isPending}
          onConfirm={() => revoke.mutate(undefined)}
        >
          Runners that joined with this token get no new steps, and their current steps are lost.
        </ConfirmButton>
      </Table.Td>
    </Table.Tr>
  )
}
