import { Group, Stack, Text } from '@mantine/core'
import type { CloudAccount, ExecutionEnvironment } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { RemoveButton } from '../../ui/buttons/remove-button.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { Notice } from '../../ui/notice.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Section } from '../../ui/section.tsx'
import { Rows } from '../../ui/tables/rows.tsx'
import { EditExecutionEnvironment, NewExecutionEnvironment } from './execution-environment-form.tsx'
import { RunnerPool } from './runner-pool.tsx'
import { RunnerTasks } from './runner-tasks.tsx'

/** Manages execution environments, where steps run. */
export const ExecutionEnvironments = () => {
  const environments = useCompleteList('listExecutionEnvironments', {})
  const { data: accounts = [] } = useCompleteList('listCloudAccounts', {})
  return (
    <Section title="Execution environments" aside={<NewExecutionEnvironment accounts={accounts} />}>
      <QueryResult of={environments}>
        {(all) => (
          <Rows
            of={all}
            empty={
              <Notice title="No execution environments yet">
                By default, steps run on the runners of this installation. Create an execution environment to run them
                on your machines or in your cloud account.
              </Notice>
            }
          >
            {(one) => <Environment of={one} accounts={accounts} />}
          </Rows>
        )}
      </QueryResult>
    </Section>
  )
}

const sizeOf = ({ size }: ExecutionEnvironment) => size && `${size.cpuUnits} CPU units, ${size.memoryMiB} MiB`

type Props = { of: ExecutionEnvironment; accounts: readonly CloudAccount[] }

const Environment = ({ of, accounts }: Props) => {
  const { id, kind, name, givenId, cloudAccountId, region, network, description, isReady } = of
  const account = accounts.find((one) => one.id === cloudAccountId)?.name ?? cloudAccountId
  const remove = useApiMutation(
    () => client.deleteExecutionEnvironment({ params: { id } }),
    ['listExecutionEnvironments'],
  )
  return (
    <Stack gap="xs" py="sm">
      <Group justify="space-between">
        <div>
          <Text fw={600}>{name}</Text>
          <Text size="sm" c="dimmed">
            {[givenId, account, region, network?.subnetIds.join(', '), sizeOf(of), description]
              .filter(Boolean)
              .join(' · ')}
          </Text>
        </div>
        <Group gap="xs">
          <EditExecutionEnvironment of={of} accounts={accounts} />
          <RemoveButton permission="execution-environments:write" label="Delete" name={name} change={remove}>
            Its tokens and runners are deleted, too. Reassign everything that uses it first.
          </RemoveButton>
        </Group>
      </Group>
      {!isReady && (
        <Text size="sm" c="var(--mantine-color-error)">
          Not ready: its steps run on the runners of this installation.
        </Text>
      )}
      {kind === 'cloud' && <RunnerTasks of={of} />}
      {kind === 'runners' && <RunnerPool of={of} />}
      {remove.error && <ErrorPanel error={errorOf(remove.error)} />}
    </Stack>
  )
}
