import { Group, Stack, Text } from '@mantine/core'
import type { CloudAccount, ExecutionEnvironment } from '@sluice/contract'
import { client } from '../api/client.ts'
import { useChange } from '../api/use-change.ts'
import { useWhole } from '../api/use-pages.ts'
import { Answer } from '../ui/answer.tsx'
import { ConfirmButton } from '../ui/confirm-button.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { Notice } from '../ui/notice.tsx'
import { Rows } from '../ui/rows.tsx'
import { Section } from '../ui/section.tsx'
import { EditExecutionEnvironment, NewExecutionEnvironment } from './execution-environment-form.tsx'

/** Where runners run. */
export const ExecutionEnvironments = () => {
  const environments = useWhole('listExecutionEnvironments', {})
  const { data: accounts = [] } = useWhole('listCloudAccounts', {})
  return (
    <Section title="Execution environments" aside={<NewExecutionEnvironment accounts={accounts} />}>
      <Answer of={environments}>
        {(all) => (
          <Rows
            of={all}
            empty={
              <Notice title="There is no execution environment">
                Without one, steps run where Sluice itself runs. With one, runners start in an account of yours.
              </Notice>
            }
          >
            {(one) => <Environment of={one} accounts={accounts} />}
          </Rows>
        )}
      </Answer>
    </Section>
  )
}

type Props = { of: ExecutionEnvironment; accounts: readonly CloudAccount[] }

const Environment = ({ of, accounts }: Props) => {
  const { id, name, givenId, cloudAccountId, region, network, description } = of
  const account = accounts.find((one) => one.id === cloudAccountId)?.name ?? cloudAccountId
  const remove = useChange(() => client.deleteExecutionEnvironment({ params: { id } }), ['listExecutionEnvironments'])
  return (
    <Stack gap="xs" py="sm">
      <Group justify="space-between">
        <div>
          <Text fw={600}>{name}</Text>
          <Text size="sm" c="dimmed">
            {[givenId, account, region, network?.subnetIds.join(', '), description].filter(Boolean).join(' · ')}
          </Text>
        </div>
        <Group gap="xs">
          <EditExecutionEnvironment of={of} accounts={accounts} />
          <ConfirmButton
            needs="execution-environments:write"
            size="xs"
            variant="subtle"
            color="red"
            label="Delete"
            ariaLabel={`Delete ${name}`}
            question={`Delete ${name}?`}
            loading={remove.isPending}
            onConfirm={() => remove.mutate(undefined)}
          >
            Runners are no longer started there.
          </ConfirmButton>
        </Group>
      </Group>
      {remove.error && <ErrorPanel error={errorOf(remove.error)} />}
    </Stack>
  )
}
