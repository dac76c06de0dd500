import { Code, ScrollArea, Table, Text } from '@mantine/core'
import type { EcsDeploymentData } from '@sluice/contract'
import { differencesOf } from './definition-diff.ts'

/** How the new task definition differs from the one before. */
export const DefinitionChanges = ({ data }: { data: EcsDeploymentData }) => {
  const { previousTaskDefinition: before, deployedTaskDefinition: after } = data
  if (!before || !after) return <Text c="dimmed">The two can be compared when the new one is registered.</Text>
  const differences = differencesOf(before.definition, after.definition)
  if (differences.length === 0) return <Text c="dimmed">Nothing: the same definition is released again.</Text>
  return (
    <ScrollArea>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>What</Table.Th>
            <Table.Th>Before</Table.Th>
            <Table.Th>New</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {differences.map(({ path, before, after }) => (
            <Table.Tr key={path}>
              <Table.Td>{path}</Table.Td>
              <Table.Td>
                <Value of={before} />
              </Table.Td>
              <Table.Td>
                <Value of={after} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  )
}

const Value = ({ of }: { of: unknown }) =>
  of === undefined ? <Text c="dimmed">–</Text> : <Code>{typeof of === 'string' ? of : JSON.stringify(of)}</Code>
