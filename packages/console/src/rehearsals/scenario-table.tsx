import { Anchor, Table, Text } from '@mantine/core'
import type { RehearsalScenario } from '@sluice/contract'
import { describeScenario } from '@sluice/contract/rehearsal-scenarios'
import { StatusBadge } from '../ui/status-badge.tsx'
import { DataTable } from '../ui/tables/data-table.tsx'
import { duration } from '../ui/time.tsx'

type Props = {
  scenarios: readonly RehearsalScenario[]
  selected: string | undefined
  onSelect: (name: string) => void
}

/** Lists the scenarios with how the release ends in each. */
export const ScenarioTable = ({ scenarios, selected, onSelect }: Props) => (
  <DataTable label="Scenarios" head={['Scenario', 'Outcome', 'Duration', 'Errors for users', 'Result']} minWidth={900}>
    {scenarios.map((scenario) => {
      const { name, outcome, verdict, suggestion, error, durationSeconds, errorSeconds } = scenario
      return (
        <Table.Tr key={name}>
          <Table.Td>
            <Anchor
              component="button"
              type="button"
              size="sm"
              ta="left"
              fw={name === selected ? 700 : 400}
              aria-current={name === selected}
              onClick={() => onSelect(name)}
            >
              {describeScenario(scenario).label}
            </Anchor>
          </Table.Td>
          <Table.Td miw={140}>{outcome ? <StatusBadge status={outcome} size="sm" /> : 'Not rehearsed'}</Table.Td>
          <Table.Td style={{ whiteSpace: 'nowrap' }}>{seconds(durationSeconds)}</Table.Td>
          <Table.Td style={{ whiteSpace: 'nowrap' }}>{errorSeconds === 0 ? 'None' : seconds(errorSeconds)}</Table.Td>
          <Table.Td>
            <Text size="sm">{verdict ?? error?.message}</Text>
            {suggestion && (
              <Text size="sm" c="dimmed">
                {suggestion}
              </Text>
            )}
          </Table.Td>
        </Table.Tr>
      )
    })}
  </DataTable>
)

const seconds = (count: number | undefined): string => (count === undefined ? '' : duration(count * 1_000))
